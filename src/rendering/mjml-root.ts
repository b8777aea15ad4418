import { hasNameAt, isLetter, isSpace } from './html-scanner/characters.js';
import { commentFrom } from './html-scanner/comment.js';
import { endOfName } from './html-scanner/tag.js';
import { BLOCK_TAGS, OUTPUT_TAGS } from './liquid/tag-names.js';

/** Where MJML begins, and what of the template in front of it has no place there. */
export interface MjmlRoot {
  readonly at: number;
  /** True behind an output such as `{{ name }}`: what it shows would be in front of the document. */
  readonly isBehindOutput: boolean;
  /** The innermost open block of tags, such as `if`. */
  readonly block: string | undefined;
}

/** Never followed by a pattern: it would be tried again for each character of a long tag without an end. */
const TAG_NAME = /\{%-?\s*([\w#]*)/y;
const COMMENT_END = /\{%-?\s*endcomment\s*-?%\}/g;
const MARKUP = /[<{]/g;

/**
 * The root element `<mjml>`: the first tag after a byte order mark, blanks, comments, declarations, and Liquid.
 * Undefined for other HTML. Behind words that a reader would see, it is no root.
 */
export function findMjmlRoot(source: string): MjmlRoot | undefined {
  return new RootSearch(source).find();
}

class RootSearch {
  private at: number;
  private readonly open: string[] = [];
  private isBehindOutput = false;
  private captures = 0;

  constructor(private readonly source: string) {
    this.at = source.charCodeAt(0) === 0xfeff ? 1 : 0;
  }

  find(): MjmlRoot | undefined {
    const { source } = this;
    for (;;) {
      while (isSpace(source.charCodeAt(this.at))) this.at++;
      const start = this.at;
      if (source[start] === '<' && isLetter(source.charCodeAt(start + 1))) {
        if (this.isRoot()) return { at: start, isBehindOutput: this.isBehindOutput, block: this.open.at(-1) };
        if (!this.skipCaptured()) return undefined;
      } else if (!(this.isAtMarkup ? this.skipMarkup() : this.skipCaptured())) return undefined;
    }
  }

  private isRoot(): boolean {
    const name = this.at + 1;
    return hasNameAt(this.source, name, 'mjml') && endOfName(this.source, name) === name + 4;
  }

  private get isAtMarkup(): boolean {
    return ['{%', '{{', '<!', '<?'].some((start) => this.source.startsWith(start, this.at));
  }

  /** @returns false for markup without an end: then the search ends, because the next one would have none, either */
  private skipMarkup(): boolean {
    const { source, at } = this;
    if (source.startsWith('{%', at)) return this.skipTag();
    if (source.startsWith('{{', at)) {
      if (this.captures <= 0) this.isBehindOutput = true;
      return this.skipTo(source.indexOf('}}', at) + 2, 2);
    }
    if (source.startsWith('--', at + 2)) return this.skipTo(commentFrom(source, at + 4)?.end ?? 0, 1);
    return this.skipTo(source.indexOf('>', at) + 1, 1);
  }

  private skipTag(): boolean {
    TAG_NAME.lastIndex = this.at;
    const name = TAG_NAME.exec(this.source)![1]!;
    if (!this.skipTo(this.source.indexOf('%}', this.at + 2) + 2, 2)) return false;
    if (OUTPUT_TAGS.has(name) && this.captures <= 0) this.isBehindOutput = true;
    if (BLOCK_TAGS.has(name)) this.open.push(name);
    else if (name === `end${this.open.at(-1)}`) this.open.pop();
    if (name === 'capture') this.captures++;
    else if (name === 'endcapture') this.captures--;
    if (name !== 'comment') return true;
    COMMENT_END.lastIndex = this.at;
    return COMMENT_END.test(this.source) && this.skipTo(COMMENT_END.lastIndex, 1);
  }

  /** @returns false if the position is before `least`: nothing was found */
  private skipTo(position: number, least: number): boolean {
    if (position < least) return false;
    this.at = position;
    return true;
  }

  /** What is captured is shown where its variable is. */
  private skipCaptured(): boolean {
    if (this.captures <= 0 || this.at >= this.source.length) return false;
    MARKUP.lastIndex = this.at + 1;
    this.at = MARKUP.test(this.source) ? MARKUP.lastIndex - 1 : this.source.length;
    return true;
  }
}
