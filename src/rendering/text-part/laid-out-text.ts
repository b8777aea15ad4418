/** What markup adds to the lines of a text. */
export interface LineMarkup {
  readonly first: string;
  readonly others: string;
}

type Side = 'start' | 'end';

/**
 * Text that ended blocks are a part of. The markup of their lines is added only when the whole text is written:
 * otherwise each level of nesting would copy all lines inside it, before anything limits their length.
 */
export class LaidOutText {
  private readonly parts: (string | LaidOutText)[] = [];
  private markup: LineMarkup = { first: '', others: '' };

  get isEmpty(): boolean {
    return this.parts.length === 0 && this.markup.first === '';
  }

  add(part: string | LaidOutText): void {
    if (typeof part === 'string' ? part !== '' : !part.isEmpty) this.parts.push(part);
  }

  /** Call this once, when the text is complete. */
  mark(markup: LineMarkup): void {
    this.markup = markup;
  }

  /** Removes line breaks from both ends. */
  trim(): void {
    this.trimSide('start');
    this.trimSide('end');
  }

  /** Returns at most `maxLength` + 1 characters. */
  toString(maxLength = Infinity): string {
    const output = new Output(maxLength);
    this.writeTo(output, '');
    return output.text;
  }

  private trimSide(side: Side): void {
    const { parts } = this;
    while (parts.length > 0) {
      const index = side === 'start' ? 0 : parts.length - 1;
      const part = parts[index]!;
      if (typeof part === 'string') {
        if ((parts[index] = withoutBreaks(part, side)) !== '') return;
      } else {
        // Behind the markup of a line, a break separates this line from the next.
        if (part.markup.first === '' && part.markup.others === '') part.trimSide(side);
        if (!part.isEmpty) return;
      }
      if (side === 'start') parts.shift();
      else parts.pop();
    }
  }

  /** @param outer the markup of other lines in the texts around */
  private writeTo(output: Output, outer: string): void {
    output.add(this.markup.first);
    const lineStart = outer + this.markup.others;
    for (const part of this.parts) {
      if (output.isFull) return;
      if (typeof part === 'string') output.addLines(part, lineStart);
      else part.writeTo(output, lineStart);
    }
  }
}

class Output {
  text = '';

  constructor(private readonly maxLength: number) {}

  get isFull(): boolean {
    return this.text.length > this.maxLength;
  }

  add(text: string): void {
    this.text += text.slice(0, this.maxLength + 1 - this.text.length);
  }

  addLines(lines: string, lineStart: string): void {
    if (lineStart === '') return this.add(lines);
    let length = this.text.length;
    let end = lines.indexOf('\n');
    for (; end !== -1 && length <= this.maxLength; end = lines.indexOf('\n', end + 1)) length += 1 + lineStart.length;
    this.add((end === -1 ? lines : lines.slice(0, end)).replaceAll('\n', '\n' + lineStart));
  }
}

function withoutBreaks(text: string, side: Side): string {
  let [start, end] = [0, text.length];
  if (side === 'start') while (text[start] === '\n') start++;
  else while (end > 0 && text[end - 1] === '\n') end--;
  return text.slice(start, end);
}
