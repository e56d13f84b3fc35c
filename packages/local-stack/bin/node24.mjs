#!/usr/bin/env node
// npm run test:node24: the end-to-end tests and the demo on the Node that the images run.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { ROOT } from './bootstrap.mjs';
import { imagesNodePackage } from './images-node.mjs';

const node = imagesNodePackage();

for (const script of [['test.mjs', '--selectProjects', 'e2e'], ['demo.mjs']]) {
  const [file, ...args] = script;
  const command = ['node', path.join(import.meta.dirname, file), ...args];
  const { status } = spawnSync('npm', ['exec', '--yes', `--package=${node}`, '--', ...command], {
    cwd: ROOT,
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(status ?? 1);
}
