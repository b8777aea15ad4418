import { shownName } from '../shown-name';

interface ClippedProps {
  readonly text: string;
  /** Leaves its width to others where there is little. */
  readonly isSecondary?: boolean;
}

/** One line of a text of any length; hovering and copying give the whole text. */
export function Clipped({ text, isSecondary }: ClippedProps) {
  return (
    <div class={isSecondary ? 'clipped secondary' : 'clipped'} dir="auto" title={text}>
      {shownName(text)}
    </div>
  );
}
