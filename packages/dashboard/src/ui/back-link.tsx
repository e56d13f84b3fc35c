import { createLink } from '@tanstack/react-router';
import type { ComponentProps } from 'react';
import classes from './back-link.module.css';
import { IconChevronLeft } from './icons.js';

/** A link one level up, above the page's title. */
export const BackLink = createLink(({ children, ...props }: ComponentProps<'a'>) => (
  <a {...props} className={classes['back']}>
    <IconChevronLeft size={16} aria-hidden />
    {children}
  </a>
));
