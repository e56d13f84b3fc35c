// Exit code 0 when this container's service is ready, 1 otherwise: healthcheck.mjs [url].
const HTTP_OK = 200;
const TIMEOUT_MS = 3_000;

const ready = `http://127.0.0.1:${process.env.HTTP_PORT}/internal/health/ready`;
const [url = ready] = process.argv.slice(2);
try {
  const { status } = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (status !== HTTP_OK) console.error(`${url} answers ${status}.`);
  process.exitCode = status === HTTP_OK ? 0 : 1;
} catch (error) {
  console.error(`${url} does not answer: ${error.cause?.message ?? error.message}`);
  process.exitCode = 1;
}
