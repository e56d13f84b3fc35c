import { Code, Skeleton, Stack, Text } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { chunk } from '../api/chunk.js';
import { ChunkBoundary } from '../ui/chunk-boundary.js';
import { Disclosure } from '../ui/disclosure.js';
import { Quiet } from '../ui/text.js';
import type { ReceiversProps } from './receivers.js';
import type { Signing } from './signed-mark.js';

const Receivers = lazy(
  chunk(async () => ({ default: (await import('./receivers.js')).Receivers })),
);

/** Receivers to copy. Their code is loaded when it is to be seen. */
export const LazyReceivers = (props: ReceiversProps) => (
  <ChunkBoundary>
    <Suspense fallback={<Skeleton height={240} />}>
      <Receivers {...props} />
    </Suspense>
  </ChunkBoundary>
);

/** Instructions for the developer of the receiver. */
export const VerifySnippet = ({ webhook }: { readonly webhook: Signing }) => (
  <Disclosure summary="How to verify the signature">
    <Stack gap="sm">
      {!webhook.has_secret && (
        <Text size="sm" fw={600}>
          This webhook has no secret, so its requests carry no signature made with one. Give it one
          under “Secret and signature”.
        </Text>
      )}
      {webhook.signature === 'ed25519' && (
        <Text size="sm">
          <Code>v1a,</Code> and what follows it in <Code>webhook-signature</Code> is an ed25519
          signature of the same bytes, which the keys in <Code>/.well-known/webhook-keys.json</Code>{' '}
          verify. The receivers below take them in place of a secret, but for Python, whose own
          library has no ed25519. The keys verify what is sent to anybody, so they compare{' '}
          <Code>webhook_id</Code> in the body as well.
        </Text>
      )}
      <Text size="sm">
        <Code>webhook-signature</Code> holds <Code>v1,</Code> and the base64 HMAC-SHA256 of{' '}
        <Code>id.timestamp.body</Code>: the two headers <Code>webhook-id</Code> and{' '}
        <Code>webhook-timestamp</Code>, and the raw body. The key is what <Code>whsec_</Code>{' '}
        encodes, or the bytes of any other secret. Libraries for Standard Webhooks verify it, given
        a <Code>whsec_</Code> secret as it is and any other as the base64 of it, and so does this,
        with nothing but the language:
      </Text>
      <LazyReceivers />
      <Quiet>
        <Code>X-Service-Signature</Code> is there too: <Code>sha256=</Code> and the lowercase
        hexadecimal HMAC-SHA256 of the raw body alone, keyed with the secret as it is shown, a{' '}
        <Code>whsec_</Code> prefix included. It says nothing about the time.
      </Quiet>
    </Stack>
  </Disclosure>
);
