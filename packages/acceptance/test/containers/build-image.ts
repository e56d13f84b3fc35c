import { cpSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { execForm, expanded, type Instruction, ignores, parseDockerfile } from './dockerfile.js';
import type { Namespaces } from './namespaces.js';

/** The result of a Dockerfile. */
export interface Image {
  /** Folders of files, the uppermost first; below all of them is this machine, for the base image. */
  readonly layers: readonly string[];
  /** Identifier of all steps so far: equal steps are run once. */
  readonly key: string;
  readonly env: Readonly<Record<string, string>>;
  readonly workdir: string;
  readonly user: string;
  readonly entrypoint: readonly string[];
  readonly healthcheck: readonly string[];
  readonly stopSignal: NodeJS.Signals;
}

const BASE: Image = {
  layers: [],
  key: '',
  env: {},
  workdir: '/',
  user: '0:0',
  entrypoint: [],
  healthcheck: [],
  stopSignal: 'SIGTERM',
};

/** Variables of this machine that a build may see: the way to the registry. */
const NETWORK = /^(npm_config_|https?_proxy$|no_proxy$|NODE_EXTRA_CA_CERTS$)/i;

/**
 * Does what a Dockerfile says, on this machine's own files in place of the base image: each step in
 * a layer of its own, in a folder tree where nothing else can be reached or changed.
 */
export class ImageBuilder {
  readonly #layers = new Map<string, string>();
  readonly #context: string;

  constructor(
    private readonly namespaces: Namespaces,
    workDir: string,
    private readonly root: string,
  ) {
    this.#context = path.join(workDir, 'context');
    const isIgnored = ignores(readFileSync(path.join(root, '.dockerignore'), 'utf8'));
    const filter = (file: string) => !isIgnored(path.relative(root, file));
    cpSync(root, this.#context, { recursive: true, filter });
  }

  async build(dockerfile: string, args: Readonly<Record<string, string>> = {}): Promise<Image> {
    const stages = new Map<string, Image>();
    let [image, stage] = [BASE, ''];
    let known: Record<string, string> = {};
    for (const step of parseDockerfile(readFileSync(path.join(this.root, dockerfile), 'utf8'))) {
      if (step.keyword === 'FROM') {
        const [from = '', , name = 'final'] = step.text.split(/\s+/);
        image = stages.get(from) ?? { ...BASE, key: from };
        [stage, known] = [name, {}];
      } else if (step.keyword === 'ARG') {
        const [name = '', value = ''] = step.text.split('=');
        known = { ...known, [name]: args[name] ?? value };
      } else {
        image = await this.#apply(step, image, known, stages);
      }
      stages.set(stage, image);
    }
    return image;
  }

  async #apply(
    step: Instruction,
    image: Image,
    args: Readonly<Record<string, string>>,
    stages: ReadonlyMap<string, Image>,
  ): Promise<Image> {
    const text = expanded(step.text, { ...args, ...image.env });
    switch (step.keyword) {
      case 'RUN':
        return this.#layer(image, `${step.text} ${JSON.stringify(args)}`, (root) =>
          this.#execute(root, step, image, args),
        );
      case 'COPY':
        return this.#layer(
          image,
          `${text} ${stages.get(step.flags['from'] ?? '')?.key ?? ''}`,
          (root) => this.#copy(root, text, image, step.flags['from'], stages),
        );
      case 'WORKDIR':
        return { ...image, workdir: path.resolve(image.workdir, text) };
      case 'ENV':
        return { ...image, env: { ...image.env, ...Object.fromEntries(pairs(text)) } };
      case 'USER':
        return { ...image, user: text };
      case 'STOPSIGNAL':
        return { ...image, stopSignal: text as NodeJS.Signals };
      case 'ENTRYPOINT':
        return { ...image, entrypoint: execForm(text) };
      case 'HEALTHCHECK':
        return { ...image, healthcheck: execForm(text.replace(/^CMD /, '')) };
      case 'EXPOSE':
        return image;
      default:
        throw new Error(`${step.keyword} is not understood here.`);
    }
  }

  /** A folder for the files that one step writes. */
  async #layer(image: Image, step: string, write: (root: string) => Promise<void>): Promise<Image> {
    const key = `${image.key}\n${step}`;
    const done = this.#layers.get(key);
    if (done !== undefined) return { ...image, key, layers: [done, ...image.layers] };

    const layer = path.join(this.namespaces.layersDir, `${this.#layers.size}`);
    const root = await mount(this.namespaces, image.layers, layer);
    await write(root);
    await this.namespaces.run(['umount', '--recursive', root]);
    this.#layers.set(key, layer);
    return { ...image, key, layers: [layer, ...image.layers] };
  }

  async #execute(
    root: string,
    { flags, text }: Instruction,
    { workdir, env }: Image,
    args: Readonly<Record<string, string>>,
  ): Promise<void> {
    const { namespaces } = this;
    await bindSystem(namespaces, root);
    const cache = /^type=cache,target=(\S+)$/.exec(flags['mount'] ?? '')?.[1];
    if (cache) {
      await namespaces.run(['mkdir', '-p', cache, `${root}${cache}`]);
      await namespaces.run(['mount', '--bind', cache, `${root}${cache}`]);
    }
    const reached = Object.entries(process.env).filter(([name]) => NETWORK.test(name));
    await namespaces.run(['chroot', root, 'env', `--chdir=${workdir}`, 'sh', '-c', text], {
      network: false,
      env: {
        ...Object.fromEntries(reached),
        PATH: process.env['PATH'],
        HOME: '/root',
        ...env,
        ...args,
      },
    });
  }

  async #copy(
    root: string,
    text: string,
    { workdir }: Image,
    from: string | undefined,
    stages: ReadonlyMap<string, Image>,
  ): Promise<void> {
    const words = text.split(/\s+/);
    const to = words.at(-1) ?? '';
    const target = path.join(root, path.resolve(workdir, to));
    let source = this.#context;
    if (from !== undefined) {
      const stage = stages.get(from);
      if (stage === undefined) throw new Error(`COPY --from=${from}: there is no such stage.`);
      source = await mount(
        this.namespaces,
        stage.layers,
        path.join(this.namespaces.layersDir, `from-${from}`),
      );
    }
    const copy =
      'if [ -d "$1" ]; then mkdir -p "$2" && cp -dR --preserve=mode,timestamps "$1/." "$2"; ' +
      'elif [ -d "$2" ]; then cp --preserve=mode,timestamps "$1" "$2/"; ' +
      'else mkdir -p "$(dirname "$2")" && cp --preserve=mode,timestamps "$1" "$2"; fi';
    for (const word of words.slice(0, -1)) {
      await this.namespaces.run(['sh', '-ec', copy, 'copy', path.join(source, word), target]);
    }
    if (from !== undefined) await this.namespaces.run(['umount', '--recursive', source]);
  }
}

const pairs = (text: string) =>
  [...text.matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [name, value]);

/** Layers as one tree; what is written to it lands in `upper`. */
export async function mount(
  namespaces: Namespaces,
  layers: readonly string[],
  upper: string,
): Promise<string> {
  const [work, root] = [`${upper}.work`, `${upper}.root`];
  await namespaces.run(['mkdir', '-p', upper, work, root]);
  const lower = [...layers, '/'].join(':');
  const options = `lowerdir=${lower},upperdir=${upper},workdir=${work}`;
  await namespaces.run(['mount', '-t', 'overlay', 'overlay', '-o', options, root]);
  return root;
}

/** Mounts what every container has besides its files. */
export async function bindSystem(namespaces: Namespaces, root: string): Promise<void> {
  for (const folder of ['/proc', '/dev']) {
    await namespaces.run(['mount', '--rbind', folder, `${root}${folder}`]);
  }
  await namespaces.run(['mount', '-t', 'tmpfs', '-o', 'mode=1777', 'tmpfs', `${root}/tmp`]);
}
