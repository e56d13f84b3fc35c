import type { ReactNode } from 'react';
import classes from './form-foot.module.css';

/** The end of a long form, with its refusal and its buttons: in sight wherever the form is scrolled to. */
export const FormFoot = ({ children }: { readonly children: ReactNode }) => (
  <div className={classes['foot']}>{children}</div>
);
