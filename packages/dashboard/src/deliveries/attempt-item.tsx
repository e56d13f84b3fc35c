import { Group, Stack, Text, Title } from '@mantine/core';
import type { Attempt, SentRequest } from '../api/types.js';
import { httpStatus, resultWords } from '../model/result-words.js';
import { CodeBlock } from '../ui/code-block.js';
import { CopyButton } from '../ui/copy-button.js';
import { Disclosure } from '../ui/disclosure.js';
import { JsonView } from '../ui/json-view.js';
import { RelativeTime } from '../ui/relative-time.js';
import { durationWords } from '../ui/relative-words.js';
import { Quiet } from '../ui/text.js';
import classes from './attempts.module.css';
import { curlOf } from './curl.js';
import { Body } from './request-body.js';
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
          <div className={classes['sides']}>
            {request && <Request request={request} body={body} hasBody={isLatest} />}
            <Response attempt={attempt} />
          </div>
        </Stack>
      </Disclosure>
    </li>
  );
}

interface RequestProps {
  readonly request: SentRequest;
  readonly body: string | null;
  /** False: another attempt shows the body, which is the same. */
  readonly hasBody: boolean;
}

/** Headers that every request has; a webhook may set others, and `traceparent`. */
const OURS = /^(?:content-type|user-agent|webhook-.*|x-service-signature|traceparent)$/i;

function Request({ request, body, hasBody }: RequestProps) {
  const { method, url, headers, note } = request;
  const named = Object.entries(headers);
  const own = named.filter(([name]) => !OURS.test(name)).map(lineOf);
  const ours = named.filter(([name]) => OURS.test(name)).map(lineOf);
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Title order={3} size="h6">
          Request
        </Title>
        {body !== null && <CopyButton text={curlOf(request, body)} label="Copy as curl" small />}
      </Group>
      <CodeBlock wrap label="Request line and headers">
        {[`${method} ${url}`, ...ours].join('\n')}
      </CodeBlock>
      {own.length > 0 && (
        <>
          <Quiet>Headers that you set</Quiet>
          <CodeBlock wrap label="Headers that you set">
            {own.join('\n')}
          </CodeBlock>
        </>
      )}
      {note && <Quiet>{note}</Quiet>}
      {hasBody && <Body body={body} />}
    </Stack>
  );
}

const lineOf = ([name, value]: readonly [string, string]): string => `${name}: ${value}`;

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
            ...(headers ?? []).map(({ name, value }) => lineOf([name, value])),
          ].join('\n')}
        </CodeBlock>
      )}
      {status !== null && !sample && <Quiet>The body is empty.</Quiet>}
      {sample && (
        <>
          <JsonView wrap label="Beginning of the response body">
            {sample}
          </JsonView>
          <Quiet>As the receiver sent it; the first 16 KiB of a long response.</Quiet>
        </>
      )}
    </Stack>
  );
}
