/** One line of a text of any length; all of it on hover, and where it is copied. */
export function Clipped({ text }: { readonly text: string }) {
  return (
    <div class="clipped" title={text}>
      {text}
    </div>
  );
}
