import { formatCount } from '../format';

const SHOWN = 10;
const listed = new Intl.ListFormat('en');

/** Says that a pasted text was taken for a list, and shows its first addresses before they are added. */
export function PastedList({ addresses }: { readonly addresses: readonly string[] }) {
  const rest = addresses.length - SHOWN;
  const shown = [...addresses.slice(0, SHOWN), ...(rest > 0 ? [`${formatCount(rest)} more`] : [])];
  return <p class="notice">Each address is a recipient: {listed.format(shown)}</p>;
}
