import { Code, Stack, Text } from '@mantine/core';
import { CodeBlock } from '../ui/code-block.js';
import { CopyButton } from '../ui/copy-button.js';
import { Disclosure } from '../ui/disclosure.js';

const SNIPPET = `import express from 'express';
import { verifyServiceSignature } from '@junction/webhook-signing';

const secret = process.env.WEBHOOK_SECRET;

express()
  .post('/webhook', express.raw({ type: 'application/json', limit: '512kb' }), (req, res) => {
    // Over the raw body: parsing and writing it again changes bytes.
    if (!verifyServiceSignature(req.body, req.get('X-Service-Signature'), secret)) {
      res.status(401).send('wrong signature');
      return;
    }
    res.status(200).end(); // Answer first, work afterwards.
  })
  .listen(3000);
`;

/** For the developer of the receiver. */
export const VerifySnippet = ({ signed }: { readonly signed: boolean }) => (
  <Disclosure summary="How to verify the signature">
    <Stack gap="sm">
      {!signed && (
        <Text size="sm" fw={600}>
          This webhook has no secret, so its requests carry no signature. Give it one by editing it.
        </Text>
      )}
      <Text size="sm">
        <Code>X-Service-Signature</Code> is <Code>sha256=</Code> and the lowercase hexadecimal
        HMAC-SHA256 of the raw request body, keyed with the secret (its UTF-8 bytes, a{' '}
        <Code>whsec_</Code> prefix included). Compute it over the bytes as they came, compare in
        constant time, and answer 401 when it does not match. In Node.js:
      </Text>
      <CodeBlock label="Example in TypeScript">{SNIPPET}</CodeBlock>
      <div>
        <CopyButton wide text={SNIPPET} label="Copy example" />
      </div>
      <Text size="sm" c="var(--text-quiet)">
        A request may come more than once: drop those whose <Code>webhook-id</Code> header you have
        seen. Libraries for Standard Webhooks verify <Code>webhook-signature</Code>.
      </Text>
    </Stack>
  </Disclosure>
);
