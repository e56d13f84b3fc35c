import type { IdentityProvider } from '../api/types.js';
import classes from './identity-provider-icon.module.css';

export interface IdentityProviderIconProps {
  readonly identityProvider: IdentityProvider;
  readonly size: 'small' | 'large';
}

/** Beside the name that it repeats. One without an icon has the first letter of its name. */
export const IdentityProviderIcon = ({
  identityProvider: { icon, display_name: name },
  size,
}: IdentityProviderIconProps) => (
  <span className={classes['icon']} data-size={size} aria-hidden>
    {icon === null ? name.charAt(0).toUpperCase() : <img src={icon} alt="" />}
  </span>
);
