import { urlParts } from './url-parts.js';
import classes from './webhook-url.module.css';

/** An address with its host in front of the eye; it breaks anywhere rather than run off a phone. */
export function WebhookUrl({ url }: { readonly url: string }) {
  const { scheme, host, rest } = urlParts(url);
  return (
    <span className={classes['url']}>
      <span className={classes['quiet']}>{scheme}</span>
      <wbr />
      {host}
      <span className={classes['quiet']}>{rest}</span>
    </span>
  );
}
