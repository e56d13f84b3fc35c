import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { onNode24 } from '../budgets.js';
import type { BenchRun, Figures } from '../suite.js';
import { type LatencyRuns, measureLatency } from './latency.js';
import { measureThroughput, type ThroughputRuns } from './throughput.js';
import type { World } from './world.js';

/** Throughput and latency with dispatcher and bare programs on the Node that the images run. */
export async function measureOnImagesNode(
  world: World,
  { throughput, latency }: { readonly throughput: ThroughputRuns; readonly latency: LatencyRuns },
): Promise<Figures> {
  const node = await imagesNode(world.run);
  const there = { ...world, node, start: async () => world.startOn(node) };
  const figures = {
    ...(await measureThroughput(there, throughput)),
    ...(await measureLatency(there, latency)),
  };
  return onNode24(figures);
}

/** The binary, from npm's cache or the registry. */
async function imagesNode({ env, signal }: BenchRun): Promise<string> {
  const named = `--package=${env['IMAGES_NODE_PACKAGE']}`;
  const args = ['exec', '--yes', named, '--', 'node', '-p', 'process.execPath'];
  const { stdout } = await promisify(execFile)('npm', args, { signal });
  return stdout.trim();
}
