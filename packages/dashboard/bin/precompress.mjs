// Writes compressed twins of the built files, which both gateways serve to whoever accepts them.
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const COMPRESSIBLE = /\.(?:js|css|html|json|svg)$/;
/** Bytes below which one packet holds the file uncompressed. */
const BYTES_MIN = 1_000;

/** Writes x.gz and x.br beside each text file x of the folder that is large enough and newer than its twins. */
export function precompress(folder) {
  for (const name of readdirSync(folder, { recursive: true })) {
    const file = path.join(folder, name);
    if (!COMPRESSIBLE.test(name) || name.startsWith('.')) continue;
    if (statSync(file).size >= BYTES_MIN && !areCurrent(file)) compress(file);
  }
}

/** Writes x.gz and x.br beside a text file. */
export function compress(file) {
  const text = readFileSync(file);
  const params = { [constants.BROTLI_PARAM_SIZE_HINT]: text.length };
  writeFileSync(`${file}.gz`, gzipSync(text, { level: 9 }));
  writeFileSync(`${file}.br`, brotliCompressSync(text, { params }));
}

const areCurrent = (file) =>
  ['.gz', '.br'].every(
    (ending) =>
      existsSync(`${file}${ending}`) &&
      statSync(`${file}${ending}`).mtimeMs >= statSync(file).mtimeMs,
  );
