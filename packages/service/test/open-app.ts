import { type HttpAppOptions, httpApp } from '../src/http/http-app.js';
import { healthChecks } from '../src/process/health.js';
import { closeHttp, listenHttp, portOf } from '../src/process/listen.js';
import { metrics } from '../src/process/metrics.js';
import { closeLater, readableLog } from './loopback.js';

/** Serves routes on loopback as a service does, until the test is over. */
export async function openApp(routes: HttpAppOptions['routes']) {
  const log = readableLog();
  const health = healthChecks();
  const app = httpApp({ log: log.log, health, metrics: metrics('test'), routes });
  const server = await listenHttp(app, { host: '127.0.0.1', port: 0 });
  closeLater(() => closeHttp(server));
  const url = `http://127.0.0.1:${portOf(server)}`;
  const get = (path: string, init?: RequestInit) => fetch(`${url}${path}`, init);
  return { url, get, log, health };
}
