import { Anchor, type AnchorProps, Button, type ButtonProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { ComponentProps } from 'react';

/** Mantine's look with the router's manners: typed paths, loaded ahead when pointed at. */
export const LinkAnchor = createLink((props: AnchorProps & ComponentProps<'a'>) => (
  <Anchor {...props} />
));

export const LinkButton = createLink((props: ButtonProps & ComponentProps<'a'>) => (
  <Button component="a" {...props} />
));

/** The page that signs in stands outside of the app, so the router does not know it. */
export const SignInLink = () => (
  <Button component="a" href="/sign-in">
    Sign in
  </Button>
);
