import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type GuardedProcess, spawnGuarded } from '@junction/local-stack/process';
import { bindSystem, type Image, mount } from './build-image.js';
import type { ComposeService } from './compose-file.js';
import { childrenOf, type Namespaces } from './namespaces.js';

const GRACE_MS = 20_000;

/** The images' Node knows an option that the one here, which stands in for it, may not. */
const isKnownHere = (word: string): boolean =>
  !word.startsWith('--max-old-space-size-percentage') ||
  process.allowedNodeEnvironmentFlags.has('--max-old-space-size-percentage');

/** The folders and files of containers. */
export interface ContainerPlaces {
  /** Folder that `./` in the compose file stands for. */
  readonly root: string;
  readonly workDir: string;
  /** Becomes /etc/hosts. */
  readonly hosts: string;
  /** Paths in the container → files of ours that take their place. */
  readonly replaced?: Readonly<Record<string, string>>;
}

/**
 * A container as compose describes it, without its engine: the image's tree, read-only, its user by
 * number, no capability, the volumes, and the names of the others in /etc/hosts.
 */
export class Container {
  #process: GuardedProcess | undefined;

  private constructor(
    readonly name: string,
    private readonly image: Image,
    private readonly service: ComposeService,
    private readonly namespaces: Namespaces,
    private readonly tree: string,
    private readonly log: string,
  ) {}

  static async create(
    name: string,
    image: Image,
    service: ComposeService,
    namespaces: Namespaces,
    { root, workDir, hosts, replaced = {} }: ContainerPlaces,
  ): Promise<Container> {
    const tree = await mount(
      namespaces,
      image.layers,
      path.join(namespaces.layersDir, `c-${name}`),
    );
    const mounts = service.volumes.map((volume) => {
      const [from = '', to = '', mode = 'rw'] = volume.split(':');
      const named = path.join(workDir, 'volumes', from);
      if (!from.startsWith('.')) mkdirSync(named, { recursive: true });
      return { from: from.startsWith('.') ? path.join(root, from) : named, to, mode };
    });
    for (const [to, from] of Object.entries({ '/etc/hosts': hosts, ...replaced }))
      mounts.push({ from, to, mode: 'ro' });
    for (const { from, to, mode } of mounts) {
      const place = path.join(tree, to);
      const make =
        'if [ -d "$1" ]; then mkdir -p "$2"; else mkdir -p "$(dirname "$2")"; : >>"$2"; fi';
      await namespaces.run(['sh', '-ec', make, 'make', from, place]);
      await namespaces.run(['mount', '--bind', from, place]);
      await namespaces.run(['mount', '-o', `remount,bind,${mode}`, place]);
    }
    await bindSystem(namespaces, tree);
    if (service.read_only) await namespaces.run(['mount', '-o', 'remount,ro', tree]);

    const log = path.join(workDir, `${name}.log`);
    return new Container(name, image, service, namespaces, tree, log);
  }

  /** Process id outside of the namespace: nsenter, which we started, waits for this child. */
  get pid(): number {
    const [pid = 0] = childrenOf(this.#process?.pid ?? 0);
    return pid;
  }

  logs(): string {
    return readFileSync(this.log, 'utf8');
  }

  start(): void {
    const { entrypoint = this.image.entrypoint, command } = this.service;
    writeFileSync(this.log, '', { flag: 'a' });
    chmodSync(this.log, 0o666); // an engine's pipe belongs to the container's user
    const words = [...entrypoint, ...command].filter(isKnownHere);
    const [program = '', ...args] = this.#inside(words);
    this.#process = spawnGuarded({
      command: program,
      args,
      env: this.#environment(),
      log: this.log,
      stopSignal: 'SIGKILL',
      graceMs: GRACE_MS,
    });
  }

  /** Runs it to its end, and gives the exit code: 0 is what compose calls completed successfully. */
  async complete(): Promise<number | null | undefined> {
    this.start();
    return this.stopped();
  }

  /** Runs the health check once. Throws while it fails. */
  async healthy(): Promise<void> {
    const [, ...own] = this.service.healthcheck?.test ?? [];
    const check = own.length > 0 ? own : this.image.healthcheck;
    if (check.length === 0) throw new Error(`${this.name} has no health check.`);
    const [program = '', ...args] = this.#inside(check);
    const env = this.#environment();
    const noEntry = this.namespaces.enter().length;
    await this.namespaces
      .run([program, ...args].slice(noEntry), { env })
      .catch((error: unknown) => {
        throw new Error(`${this.name} is not healthy: ${String(error)}\n${this.logs()}`);
      });
  }

  /** The exit code, once it has ended. */
  async stopped(): Promise<number | null | undefined> {
    return (await this.#process?.exited)?.code;
  }

  /** Stops it as the engine would. */
  async stop(): Promise<number | null | undefined> {
    process.kill(this.pid, this.image.stopSignal);
    const late = setTimeout(() => void this.#process?.stop('SIGKILL'), GRACE_MS);
    const code = await this.stopped();
    clearTimeout(late);
    return code;
  }

  #inside(argv: readonly string[]): readonly string[] {
    const [uid = '0', gid = '0'] = (this.service.user ?? this.image.user).split(':');
    const rights = this.service.cap_drop.includes('ALL')
      ? ['--no-new-privs', '--bounding-set=-all', '--inh-caps=-all']
      : [];
    return [
      ...this.namespaces.enter(),
      'chroot',
      this.tree,
      'env',
      `--chdir=${this.image.workdir}`,
      'setpriv',
      `--reuid=${uid}`,
      `--regid=${gid}`,
      '--clear-groups',
      ...rights,
      '--',
      ...argv,
    ];
  }

  #environment(): NodeJS.ProcessEnv {
    return { PATH: process.env['PATH'], ...this.image.env, ...this.service.environment };
  }
}
