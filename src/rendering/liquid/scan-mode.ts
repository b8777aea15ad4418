/** The states of a place scanner: those of the tokenizer (WHATWG HTML 13.2.5). */
export type ScanMode =
  | 'text'
  | 'tag open'
  | 'end tag open'
  | 'tag name'
  | 'in tag'
  | 'attribute name'
  | 'after attribute name'
  | 'before value'
  | 'double-quoted value'
  | 'single-quoted value'
  | 'unquoted value'
  | 'declaration'
  | 'comment'
  | 'raw text';
