// Writes compressed twins of built files, which both gateways serve to whoever accepts them.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const COMPRESSIBLE = /\.(?:js|css|html|json|md|svg|txt)$/;
/** Bytes below which one packet holds the file uncompressed. */
const BYTES_MIN = 1_000;

/**
 * Writes x.gz and x.br beside each text file x of the folder that is large enough. `quality` of Brotli: 11 makes files
 * a tenth smaller than 9 does, and takes twelve times as long.
 */
export function precompress(folder, quality) {
  for (const name of readdirSync(folder, { recursive: true })) {
    const file = path.join(folder, name);
    if (!COMPRESSIBLE.test(name) || name.startsWith('.')) continue;
    if (statSync(file).size < BYTES_MIN) continue;
    const text = readFileSync(file);
    const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT } = constants;
    const params = { [BROTLI_PARAM_QUALITY]: quality, [BROTLI_PARAM_SIZE_HINT]: text.length };
    writeFileSync(`${file}.gz`, gzipSync(text, { level: 9 }));
    writeFileSync(`${file}.br`, brotliCompressSync(text, { params }));
  }
}
