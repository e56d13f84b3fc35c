// The Node that the images run. The registry has each Node as a package for each platform; npm keeps it in its cache.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from './bootstrap.mjs';

const IMAGE = path.join(ROOT, 'infra', 'docker', 'service.Dockerfile');

/** The name and version of the package, for `npm exec`. */
export function imagesNodePackage() {
  const [, version] = /^FROM node:([\d.]+)/m.exec(readFileSync(IMAGE, 'utf8')) ?? [];
  return nodePackage(version);
}

/** The package of another Node, for `npm exec`. */
export const nodePackage = (version) => `node-${process.platform}-${process.arch}@${version}`;
