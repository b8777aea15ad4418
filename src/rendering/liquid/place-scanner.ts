import { isLetter, isSpace } from '../html-scanner/characters.js';
import { RAW_TEXT_ELEMENTS } from '../html-scanner/raw-text.js';
import type { Place } from './place.js';
import type { ScanMode } from './scan-mode.js';
import { ScanState } from './scan-state.js';
import { isUrlAttribute, partAfter } from './url-part.js';

const RAW_TEXT: ReadonlySet<string> = new Set(RAW_TEXT_ELEMENTS);
/** Longer names do not matter here. */
const MAX_NAME = 32;

/**
 * Follows the HTML of a template from piece to piece and returns the place of each output between the pieces. A reduced
 * tokenizer (WHATWG HTML 13.2.5): the content of a conditional comment counts as HTML.
 */
export class PlaceScanner extends ScanState {
  /** A scanner in the same state, for another branch of the template. */
  clone(): PlaceScanner {
    return Object.assign(new PlaceScanner(), this);
  }

  /** Reads the template's own HTML. */
  read(html: string): void {
    for (let at = 0; at < html.length; at++) {
      if (this.mode === 'text') {
        at = html.indexOf('<', at);
        if (at === -1) return;
      }
      this.step(html[at]!, html.charCodeAt(at));
    }
  }

  /** Returns the place of an output that follows, and reads the output. */
  output(): Place {
    switch (this.mode) {
      case 'text':
        return { kind: 'text', isQuoted: true };
      case 'declaration':
      case 'comment':
        return { kind: 'comment', isQuoted: true };
      case 'raw text':
        return this.rawText();
      case 'double-quoted value':
      case 'single-quoted value':
        return this.value(true);
      case 'before value':
        this.mode = 'unquoted value';
        return this.value(false);
      case 'unquoted value':
        return this.value(false);
      case 'tag open':
      case 'end tag open':
        this.mode = 'tag name';
        break;
      case 'in tag':
      case 'after attribute name':
        this.begin('attribute name', '');
        break;
      case 'tag name':
      case 'attribute name':
        break;
    }
    return { kind: 'markup', isQuoted: false };
  }

  private rawText(): Place {
    // The value may complete an end tag.
    const isEnding = this.name.startsWith('<');
    this.name = '';
    if (this.element === 'script' || this.element === 'style') return { kind: this.element, isQuoted: !isEnding };
    return isEnding ? { kind: 'markup', isQuoted: false } : { kind: 'text', isQuoted: true };
  }

  private value(isQuoted: boolean): Place {
    if (!isUrlAttribute(this.attribute)) return { kind: 'value', isQuoted };
    return { kind: `url ${this.url}`, isQuoted };
  }

  private step(character: string, code: number): void {
    switch (this.mode) {
      case 'text':
        return this.begin('tag open', '');
      case 'tag open':
        this.isEndTag = false;
        if (character === '/') this.mode = 'end tag open';
        else if (isLetter(code)) this.begin('tag name', character);
        else if (character === '!') this.begin('declaration', '');
        else this.mode = character === '?' ? 'declaration' : character === '<' ? 'tag open' : 'text';
        return;
      case 'end tag open':
        this.isEndTag = true;
        if (isLetter(code)) this.begin('tag name', character);
        else this.mode = character === '>' ? 'text' : 'declaration';
        return;
      case 'declaration':
        return this.inDeclaration(character);
      case 'comment':
        return this.inComment(character);
      case 'raw text':
        return this.inRawText(character);
      case 'double-quoted value':
        return character === '"' ? void (this.mode = 'in tag') : void (this.url = partAfter(this.url, character));
      case 'single-quoted value':
        return character === "'" ? void (this.mode = 'in tag') : void (this.url = partAfter(this.url, character));
      case 'unquoted value':
        return isSpace(code) || character === '>'
          ? this.inTag(character, code)
          : void (this.url = partAfter(this.url, character));
      case 'tag name':
      case 'in tag':
      case 'attribute name':
      case 'after attribute name':
      case 'before value':
        return this.inTag(character, code);
    }
  }

  private inTag(character: string, code: number): void {
    if (this.mode === 'tag name' && (character === '>' || character === '/' || isSpace(code))) this.element = this.name;
    if (character === '>') return this.endTag();
    if (isSpace(code)) {
      if (this.mode === 'attribute name') this.mode = 'after attribute name';
      else if (this.mode !== 'before value' && this.mode !== 'after attribute name') this.mode = 'in tag';
      return;
    }
    if (this.mode === 'before value') return this.beginValue(character);
    if (character === '/') this.mode = 'in tag';
    else if (character === '=' && (this.mode === 'attribute name' || this.mode === 'after attribute name')) {
      this.attribute = this.name;
      this.url = 'start';
      this.mode = 'before value';
    } else if (this.mode === 'in tag' || this.mode === 'after attribute name') this.begin('attribute name', character);
    else this.name = (this.name + character.toLowerCase()).slice(0, MAX_NAME);
  }

  private beginValue(character: string): void {
    if (character === '"') this.mode = 'double-quoted value';
    else if (character === "'") this.mode = 'single-quoted value';
    else {
      this.mode = 'unquoted value';
      this.url = partAfter(this.url, character);
    }
  }

  private endTag(): void {
    this.begin(!this.isEndTag && RAW_TEXT.has(this.element) ? 'raw text' : 'text', '');
  }

  private inDeclaration(character: string): void {
    this.name = (this.name + character).slice(0, MAX_NAME);
    if (this.name === '--') this.begin('comment', '--');
    else if (character === '>') this.mode = 'text';
  }

  private inComment(character: string): void {
    this.name = (this.name + character.toLowerCase()).slice(-5);
    if (this.name === '--[if') this.begin('declaration', '');
    else if (this.name.endsWith('-->') || this.name.endsWith('--!>')) this.mode = 'text';
  }

  /** Only the end tag of the element ends it. */
  private inRawText(character: string): void {
    const end = `</${this.element}`;
    this.name = character === '<' ? '<' : (this.name + character.toLowerCase()).slice(0, end.length + 1);
    if (!this.name.startsWith(end) || this.name.length <= end.length) return;
    if (character === '>') this.begin('text', '');
    else if (character === '/' || isSpace(character.charCodeAt(0))) {
      this.isEndTag = true;
      this.begin('in tag', '');
    }
  }

  private begin(mode: ScanMode, name: string): void {
    this.mode = mode;
    this.name = name.toLowerCase();
  }
}
