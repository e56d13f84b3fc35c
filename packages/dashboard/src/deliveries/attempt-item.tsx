import { Stack, Text, Title } from '@mantine/core';
import type { Attempt, SentRequest } from '../api/types.js';
import { CodeBlock } from '../ui/code-block.js';
import { Disclosure } from '../ui/disclosure.js';
import { RelativeTime } from '../ui/relative-time.js';
import { durationWords } from '../ui/relative-words.js';
import classes from './attempts.module.css';
import { httpStatus, resultWords } from './result-words.js';

export interface AttemptItemProps {
  readonly attempt: Attempt;
  readonly isLatest: boolean;
}

export function AttemptItem({ attempt, isLatest }: AttemptItemProps) {
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
          {request && <Request request={request} />}
          <Response attempt={attempt} />
        </Stack>
      </Disclosure>
    </li>
  );
}

const Request = ({
  request: { method, url, headers, note },
}: {
  readonly request: SentRequest;
}) => (
  <Stack gap="xs">
    <Title order={3} size="h6">
      Request
    </Title>
    <CodeBlock wrap label="Request line and headers">
      {[`${method} ${url}`, ...headerLines(headers)].join('\n')}
    </CodeBlock>
    {note && (
      <Text size="xs" c="var(--text-quiet)">
        {note}
      </Text>
    )}
  </Stack>
);

const headerLines = (headers: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(headers).map(([name, value]) => `${name}: ${value}`);

function Response({ attempt }: { readonly attempt: Attempt }) {
  const { response_status: status, timing, response_sample: sample } = attempt;
  const { first_byte_ms: headersMs } = timing;
  return (
    <Stack gap="xs">
      <Title order={3} size="h6">
        Response
      </Title>
      {status === null ? (
        <Text size="sm">No response arrived.</Text>
      ) : (
        <Text size="sm">
          {httpStatus(status)}
          {headersMs !== null && (
            <Text span c="var(--text-quiet)">
              {' '}
              · headers after {durationWords(headersMs)}
            </Text>
          )}
        </Text>
      )}
      {status !== null && !sample && (
        <Text size="sm" c="var(--text-quiet)">
          Its body is empty.
        </Text>
      )}
      {sample && (
        <>
          <CodeBlock wrap label="Beginning of the response body">
            {sample}
          </CodeBlock>
          <Text size="xs" c="var(--text-quiet)">
            As the receiver sent it; the first 16 KiB of a long response.
          </Text>
        </>
      )}
    </Stack>
  );
}
