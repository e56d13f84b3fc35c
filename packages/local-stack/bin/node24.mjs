#!/usr/bin/env node
// npm run test:node24: the end-to-end tests and the demo on the Node that the images run. The registry has each
// Node as a package for each platform; npm keeps it in its cache.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from './bootstrap.mjs';

const IMAGE = path.join(ROOT, 'infra', 'docker', 'service.Dockerfile');
const [, version] = /^FROM node:([\d.]+)/m.exec(readFileSync(IMAGE, 'utf8')) ?? [];
const node = `node-${process.platform}-${process.arch}@${version}`;

for (const script of [['test.mjs', '--selectProjects', 'e2e'], ['demo.mjs']]) {
  const [file, ...args] = script;
  const command = ['node', path.join(import.meta.dirname, file), ...args];
  const { status } = spawnSync('npm', ['exec', '--yes', `--package=${node}`, '--', ...command], {
    cwd: ROOT,
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(status ?? 1);
}
