import { status } from '@grpc/grpc-js';
import { type ProblemType, problems } from '@junction/errors';
import { TRANSPORTS } from '@junction/service/http';

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
- Over gRPC the code is the \`reason\` of an \`ErrorInfo\` in the details of the status.`;

/** The page of all problem codes, each at the anchor of its own name. Made from the catalogue of errors. */
export function problemCodes(): string {
  const entries = Object.entries<ProblemType>(problems);
  return [INTRODUCTION, '## All codes', ...entries.map(entry)].join('\n\n');
}

function entry([code, { kind, cause, remedy }]: readonly [string, ProblemType]): string {
  const { http, grpc, title } = TRANSPORTS[kind];
  return `### \`${code}\`

HTTP **${http}** ${title} · gRPC \`${status[grpc]}\`

${cause}

**What to do:** ${remedy}`;
}
