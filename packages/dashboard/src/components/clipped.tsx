/** One line of a text of any length; hovering and copying give the whole text. */
export function Clipped({ text }: { readonly text: string }) {
  return (
    <div class="clipped" title={text}>
      {text}
    </div>
  );
}
