import { Group, Stack, Text, Title } from '@mantine/core';
import type { Attempt, SentRequest } from '../api/types.js';
import { httpStatus, resultWords } from '../model/result-words.js';
import { CodeBlock } from '../ui/code-block.js';
import { CopyButton } from '../ui/copy-button.js';
import { Disclosure } from '../ui/disclosure.js';
import { RelativeTime } from '../ui/relative-time.js';
import { durationWords } from '../ui/relative-words.js';
import { Quiet } from '../ui/text.js';
import classes from './attempts.module.css';
import { curlOf } from './curl.js';
import { TimingTable } from './timing-table.js';

export interface AttemptItemProps {
  readonly attempt: Attempt;
  /** Body that was sent; null once it has been deleted. */
  readonly body: string | null;
  readonly isLatest: boolean;
}

export function AttemptItem({ attempt, body, isLatest }: AttemptItemProps) {
  const { attempt: number, at, result, timing, request } = attempt;
  const status = attempt.response_status;
  const { short, long, advice } = resultWords(result);
  const outcome = result === 'succeeded' && status !== null ? httpStatus(status) : short;

  return (
    <li data-outcome={result === 'succeeded' ? 'good' : 'bad'}>
      <Disclosure
        open={isLatest}
        summary={
          <span className={classes['summary']}>
            <span>Attempt {number}</span>
            <span className={classes['outcome']}>{outcome}</span>
            <span className={classes['when']}>
              <RelativeTime at={at} /> · took {durationWords(timing.total_ms)}
            </span>
          </span>
        }
      >
        <Stack gap="md">
          {result !== 'succeeded' && <Text size="sm">{advice ?? long}</Text>}
          <TimingTable attempt={attempt} />
          {request && <Request request={request} body={body} />}
          <Response attempt={attempt} />
        </Stack>
      </Disclosure>
    </li>
  );
}

interface RequestProps {
  readonly request: SentRequest;
  readonly body: string | null;
}

const Request = ({ request, body }: RequestProps) => (
  <Stack gap="xs">
    <Group justify="space-between">
      <Title order={3} size="h6">
        Request
      </Title>
      {body !== null && <CopyButton text={curlOf(request, body)} label="Copy as curl" small />}
    </Group>
    <CodeBlock wrap label="Request line and headers">
      {[`${request.method} ${request.url}`, ...headerLines(request.headers)].join('\n')}
    </CodeBlock>
    {request.note && <Quiet size="xs">{request.note}</Quiet>}
  </Stack>
);

const headerLines = (headers: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(headers).map(([name, value]) => `${name}: ${value}`);

function Response({ attempt }: { readonly attempt: Attempt }) {
  const { response_status: status, response_headers: headers, response_sample: sample } = attempt;
  return (
    <Stack gap="xs">
      <Title order={3} size="h6">
        Response
      </Title>
      {status === null ? (
        <Text size="sm">No response arrived.</Text>
      ) : (
        <CodeBlock wrap label="Status and headers of the response">
          {[
            httpStatus(status),
            ...(headers ?? []).map(({ name, value }) => `${name}: ${value}`),
          ].join('\n')}
        </CodeBlock>
      )}
      {status !== null && !sample && <Quiet>The body is empty.</Quiet>}
      {sample && (
        <>
          <CodeBlock wrap label="Beginning of the response body">
            {sample}
          </CodeBlock>
          <Quiet size="xs">As the receiver sent it; the first 16 KiB of a long response.</Quiet>
        </>
      )}
    </Stack>
  );
}
