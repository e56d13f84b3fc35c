import { Fragment } from 'react';

/** Text with an address, which breaks between the address's parts before it breaks inside of one. */
export const Address = ({ children }: { readonly children: string }) =>
  children.split(/(?=[@.])/).map((part, index) => (
    // oxlint-disable-next-line react/no-array-index-key -- The parts of a text have nothing else, and are not moved.
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {part}
    </Fragment>
  ));
