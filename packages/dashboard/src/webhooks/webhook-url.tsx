import classes from './webhook-url.module.css';

/** An address with its host in front of the eye; it breaks anywhere rather than run off a phone. */
export function WebhookUrl({ url }: { readonly url: string }) {
  const { protocol, host } = new URL(url);
  const origin = `${protocol}//`;
  return (
    <span className={classes['url']}>
      <span className={classes['quiet']}>{origin}</span>
      {host}
      <span className={classes['quiet']}>{url.slice(origin.length + host.length)}</span>
    </span>
  );
}
