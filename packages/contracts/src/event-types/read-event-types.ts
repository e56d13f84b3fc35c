import { readFile } from 'node:fs/promises';
import { type Document, isNode, LineCounter, parseDocument } from 'yaml';
import { catalogueOf, type EventCatalogue, type PlatformKind } from '../event-catalogue.js';
import { fileSchema } from './file-schema.js';
import { jsonSchemaCheck } from './json-schema-check.js';

const FILE_BYTES_MAX = 1_024 * 1_024;

/**
 * The catalogue of an installation, by its EVENT_TYPES_FILE. @throws Error that names the file and every mistake in it,
 * with its line
 */
export async function readEventTypes(path: string): Promise<EventCatalogue> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new Error(`EVENT_TYPES_FILE: ${path} cannot be read.`, { cause });
  });
  return catalogueOf(parseEventTypes(text, path));
}

/** Reads the kinds from the file's text. */
export function parseEventTypes(text: string, path: string): readonly PlatformKind[] {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const mistakes: string[] = [];
  const mistake = (at: Path, message: string) =>
    mistakes.push(`${placeOf(document, lines, at)}: ${message}`);
  const refused = () =>
    new Error(`EVENT_TYPES_FILE: ${path} is not usable:\n  ${mistakes.join('\n  ')}`);

  if (Buffer.byteLength(text) > FILE_BYTES_MAX) mistake([], 'must have at most 1 MiB.');
  mistakes.push(...document.errors.map(messageOf));
  if (mistakes.length > 0) throw refused();

  const json = jsonOf(document, mistake);
  if (mistakes.length > 0) throw refused();

  const { data, error } = fileSchema.safeParse(json, { reportInput: false });
  for (const issue of error?.issues ?? []) mistake(issue.path, issue.message);
  const kinds = (data ?? []).flatMap((entry): readonly PlatformKind[] => {
    const at = ['event_types', entry.kind];
    try {
      const check = jsonSchemaCheck(entry.schema);
      const { error } = check.safeParse(entry.example);
      if (error) mistake([...at, 'example'], error.message);
      return [{ ...entry, check }];
    } catch (fault) {
      mistake([...at, 'schema'], messageOf(fault));
      return [];
    }
  });
  if (mistakes.length > 0) throw refused();
  return kinds;
}

type Path = readonly PropertyKey[];

/** The contents as JSON has them. An anchor that holds itself, or aliases that make too much of a file, are refused. */
function jsonOf(document: Document, mistake: (at: Path, message: string) => void): unknown {
  try {
    return JSON.parse(JSON.stringify(document.toJS()) ?? 'null');
  } catch (fault) {
    mistake([], `has aliases that cannot be followed: ${messageOf(fault)}`);
    return undefined;
  }
}

/** `line 7, event_types.invoice.paid.schema`: the nearest place above that the file has. */
function placeOf(document: Document, lines: LineCounter, at: Path): string {
  const name = at.map(String).join('.') || 'the file';
  for (let depth = at.length; depth > 0; depth--) {
    const node = document.getIn(at.slice(0, depth), true);
    if (isNode(node) && node.range) return `line ${lines.linePos(node.range[0]).line}, ${name}`;
  }
  return name;
}

/** The first line alone: others show how something was found. */
const messageOf = (fault: unknown): string =>
  fault instanceof Error ? fault.message.split('\n', 1).join() : '';
