import { Breakable } from './breakable.js';
import { urlParts } from './url-parts.js';
import classes from './webhook-url.module.css';

/** An address with its host in front of the eye; it breaks at its marks, and anywhere rather than run off a phone. */
export function WebhookUrl({ url }: { readonly url: string }) {
  const { scheme, host, rest } = urlParts(url);
  return (
    <span className={classes['url']}>
      <span className={classes['quiet']}>{scheme}</span>
      <wbr />
      <Breakable>{host}</Breakable>
      <span className={classes['quiet']}>
        <Breakable>{rest}</Breakable>
      </span>
    </span>
  );
}
