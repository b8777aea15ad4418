import { qrCode } from '../qr-code';

/** Light modules around the code, which readers need. */
const QUIET = 4;

/** A QR code, always dark on white, independent of the colors of the page. */
export function QrImage({ text, label }: { readonly text: string; readonly label: string }) {
  const rows = qrCode(text);
  const size = rows.length + 2 * QUIET;
  const dark = rows.flatMap((row, y) =>
    row.flatMap((module, x) => (module ? `M${x + QUIET} ${y + QUIET}h1v1h-1z` : [])),
  );
  return (
    <svg class="qr" role="img" aria-label={label} viewBox={`0 0 ${size} ${size}`} shape-rendering="crispEdges">
      <rect width={size} height={size} fill="#fff" />
      <path d={dark.join('')} fill="#000" />
    </svg>
  );
}
