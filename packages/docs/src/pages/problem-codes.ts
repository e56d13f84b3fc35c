import { status } from '@grpc/grpc-js';
import { type ProblemType, problemAreas } from '@junction/errors';
import { TRANSPORTS } from '@junction/service/http';
import { type Page, page } from './page.js';
import { table } from './schema-words.js';

/** Path of the page that names every code. The `type` of a problem leads there, to the anchor of its code. */
const PATH = '/docs/errors';

const INTRODUCTION = `# Problem codes

What cannot be answered is refused with a problem (RFC 9457). Branch on its \`code\`: it stays the same, while the words
may change. Quote \`request_id\` when you ask for help; it is in the logs, and in the header \`x-request-id\` of every answer.

\`\`\`json
${JSON.stringify(
  {
    type: '/docs/errors#webhook_not_found',
    title: TRANSPORTS.not_found.title,
    status: TRANSPORTS.not_found.http,
    detail: 'There is no webhook wh_0190f3a0-0000-7000-8000-000000000000.',
    instance: '/api/webhooks/wh_0190f3a0-0000-7000-8000-000000000000',
    code: 'webhook_not_found',
    request_id: '6d0a3e64-0f0b-4f4e-9d7c-3d6d2f0f5a11',
  },
  null,
  2,
)}
\`\`\`

- Where fields are wrong, \`errors\` names each of them with a code and what is expected.
- 429 and 503 come with \`Retry-After\`: the request was not carried out, ask again after that many seconds.
- Over gRPC the code is the \`reason\` of an \`ErrorInfo\` in the details of the status.

Each code below leads to its cause and what to do.`;

const AREAS = Object.entries<Readonly<Record<string, ProblemType>>>(problemAreas);

/** The page of all problem codes, by area and status: each at the anchor of its name, as a link to its explanation. */
export function problemCodes(): string {
  const areas = AREAS.map(([area, problems]) => {
    const rows = new Map<string, string[]>();
    for (const [code, { kind }] of Object.entries(problems)) {
      const { http, title } = TRANSPORTS[kind];
      const link = `<a id="${code}" href="${explanationOf(code)}"><code>${code}</code></a>`;
      rows.set(`${http} ${title}`, [...(rows.get(`${http} ${title}`) ?? []), link]);
    }
    const cells = [...rows].map(([answer, links]) => [answer, links.join(', ')]);
    return `## ${titleOf(area)}\n\n${table(['HTTP', 'codes'], cells)}`;
  });
  return [INTRODUCTION, ...areas].join('\n\n');
}

/** A page for each area, which explains its codes. Made from the catalogue of errors. */
export const problemPages = (): readonly Page[] =>
  AREAS.map(([area, problems]) =>
    page(
      `${PATH}/${area}`,
      titleOf(area),
      `The problems of ${area}: each code with its status, its cause and what to do.`,
      () => [`# ${titleOf(area)}`, ABOUT, ...Object.entries(problems).map(entry)].join('\n\n'),
    ),
  );

/** Address of what explains a code. */
export function explanationOf(code: string): string {
  const [area] = AREAS.find(([, problems]) => Object.hasOwn(problems, code)) ?? [];
  return area === undefined ? PATH : `${PATH}/${area}#${code}`;
}

const titleOf = (area: string): string => `Problems of ${area}`;

const ABOUT = `Each code with its cause and what to do. [Problem codes](${PATH}) names those of all areas.`;

function entry([code, { kind, cause, remedy }]: readonly [string, ProblemType]): string {
  const { http, grpc, title } = TRANSPORTS[kind];
  return `## \`${code}\`

HTTP **${http}** ${title} · gRPC \`${status[grpc]}\`

${cause}

**Remedy:** ${remedy}`;
}
