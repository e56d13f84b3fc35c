import { readFileSync } from 'node:fs';
import { z } from 'zod';

const path = z.string().regex(/^\/[\w./-]*$/);
const cached = { cacheControl: z.string() };

const rules = z.strictObject({
  /** Sent with every file of the dashboard, the connect callback's page included. */
  headers: z.record(z.string().regex(/^[a-z-]+$/), z.string().regex(/^[^"$\\\r\n]+$/)),
  /** What every page of the dashboard is. */
  index: z.strictObject({ file: path, ...cached }),
  /** Files whose name changes with their content. */
  immutable: z.strictObject({ prefix: path, ...cached }),
  otherFiles: z.strictObject(cached),
  /** Below these a path is never a page: what is not there is 404, whatever the caller accepts. */
  notPages: z.array(path),
});

export type PageRules = Readonly<z.infer<typeof rules>>;

/** Reads infra/gateway/pages.json: how every front door of the product serves the dashboard. */
export const readPageRules = (file: string): PageRules =>
  rules.parse(JSON.parse(readFileSync(file, 'utf8')));
