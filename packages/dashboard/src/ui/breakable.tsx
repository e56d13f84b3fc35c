import { Fragment } from 'react';
import { piecesOf } from './url-parts.js';

/** A text that may break after the marks in an address or an id, before it breaks inside of a word. */
export const Breakable = ({ children }: { readonly children: string }) =>
  piecesOf(children).map((piece, index) => (
    <Fragment key={index}>
      {piece}
      <wbr />
    </Fragment>
  ));
