import { TagToken, TokenKind, type TopLevelToken } from 'liquidjs';
import { capturedBy, plainCaptures } from './captures.js';
import { CAPTURE, eitherPlace, type Place } from './place.js';
import { PlaceScanner } from './place-scanner.js';
import { BLOCK_TAGS, OUTPUT_TAGS } from './tag-names.js';

const LOOPS = new Set(['for', 'tablerow']);
const BRANCHES = new Set(['else', 'elsif', 'when']);
const LOOP_ENDS = new Set(['break', 'continue']);
/** Bodies of loops in one template that are read a second time. Nested loops could otherwise multiply the time. */
const MAX_REPEATS = 20;

/** An open block of tags. */
interface Block {
  readonly name: string;
  /** The index of its tag. */
  readonly at: number;
  readonly begin: PlaceScanner;
  /** The states in which its branches may end, except the last. */
  readonly ends: PlaceScanner[];
  /** True if the body of a loop is being read a second time. */
  readonly isRepeated: boolean;
  /** The state at the end of its first branch, once another has begun. */
  firstEnd?: PlaceScanner;
  /** True if its last branch is rendered whenever no other is. */
  hasElse?: boolean;
}

/**
 * The place of each output. Each branch begins in the state at the start of its block. After a block, the state is that
 * after any of its branches, as far as one state can stand for several. The second round of a loop begins in the state
 * at the end of the first.
 */
export function placesOf(tokens: readonly TopLevelToken[]): Map<TopLevelToken, Place> {
  return new OutputPlaces(tokens).find();
}

class OutputPlaces {
  private readonly places = new Map<TopLevelToken, Place>();
  private readonly blocks: Block[] = [];
  /** For each open capture, whether its outputs are escaped where its variable is written. */
  private readonly captures: boolean[] = [];
  private readonly isPlain: (name: string) => boolean;
  private scanner = new PlaceScanner();
  private repeats = 0;
  private at = 0;

  constructor(private readonly tokens: readonly TopLevelToken[]) {
    this.isPlain = plainCaptures(tokens);
  }

  find(): Map<TopLevelToken, Place> {
    let isComment = false;
    for (this.at = 0; this.at < this.tokens.length; this.at++) {
      const token = this.tokens[this.at]!;
      // Liquid skips everything up to the first endcomment, even if it is only part of a block.
      if (isComment) isComment = !(token instanceof TagToken && token.name === 'endcomment');
      else if (token.kind === TokenKind.HTML) this.scanner.read(htmlOf(token));
      else if (isOutput(token)) this.place(token);
      else if (token instanceof TagToken) {
        isComment = token.name === 'comment';
        this.follow(token);
      }
    }
    return this.places;
  }

  private place(token: TopLevelToken): void {
    const place = this.captures.at(-1) ? CAPTURE : this.scanner.output();
    const before = this.places.get(token);
    this.places.set(token, before ? eitherPlace(before, place) : place);
  }

  private follow(tag: TagToken): void {
    const { name } = tag;
    if (BLOCK_TAGS.has(name)) return this.open(tag);
    const block = this.blocks.at(-1);
    if (!block) return;
    if (LOOP_ENDS.has(name)) this.blocks.findLast((one) => LOOPS.has(one.name))?.ends.push(this.scanner.clone());
    else if (BRANCHES.has(name)) this.branch(block, name);
    else if (name.startsWith('end') && BLOCK_TAGS.has(name.slice(3))) this.close(block, name);
  }

  private open(tag: TagToken): void {
    const { name } = tag;
    this.blocks.push({ name, at: this.at, begin: this.scanner.clone(), ends: [], isRepeated: false });
    if (name !== 'capture') return;
    this.captures.push(this.isPlain(capturedBy(tag)));
    // Captured content is a separate document.
    this.scanner = new PlaceScanner();
  }

  private branch(block: Block, name: string): void {
    // Liquid renders nothing between `case` and the first `when`.
    if (block.name !== 'case' || block.firstEnd) block.ends.push(this.scanner);
    block.firstEnd ??= this.scanner;
    block.hasElse ||= name === 'else';
    this.scanner = block.begin.clone();
  }

  private close(block: Block, name: string): void {
    this.blocks.pop();
    if (name === 'endcapture') {
      this.captures.pop();
      this.scanner = block.begin;
      return;
    }
    const isLoop = LOOPS.has(block.name);
    if (isLoop && !block.isRepeated) {
      const next = (block.firstEnd ?? this.scanner).clone().join(block.ends);
      if (!next.equals(block.begin) && this.repeats++ < MAX_REPEATS) return this.repeat(block, next);
    }
    // After a `break` or without a round, the state at the start of a loop may remain in spite of an `else`.
    this.scanner.join(block.hasElse && !isLoop ? block.ends : [...block.ends, block.begin]);
  }

  /** Reads a loop again, as in its second round. */
  private repeat({ name, at, begin, ends }: Block, secondRound: PlaceScanner): void {
    this.blocks.push({ name, at, begin, ends: [...ends, this.scanner], isRepeated: true });
    this.scanner = secondRound;
    this.at = at;
  }
}

/** The text of a token that is no tag and no output. */
export function htmlOf(token: TopLevelToken): string {
  return (token as unknown as { getContent(): string }).getContent();
}

function isOutput(token: TopLevelToken): boolean {
  if (token.kind === TokenKind.Output) return true;
  if (!(token instanceof TagToken)) return false;
  return OUTPUT_TAGS.has(token.name) || (token.name === 'liquid' && /echo|cycle/.test(token.args));
}
