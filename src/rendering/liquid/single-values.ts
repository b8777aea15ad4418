import {
  CaseTag,
  ForTag,
  Output,
  TablerowTag,
  TagToken,
  Tokenizer,
  TokenKind,
  Value,
  type Template,
  type Token,
} from 'liquidjs';
import { withChildren } from './all-templates.js';

/** Part of a tag or output that the language ignores. */
export interface IgnoredPart {
  readonly token: Token;
  /** Undefined for the second of two values in a row. */
  readonly text?: string;
}

/** A tag or output without its delimiters. */
type DelimitedToken = Token & Pick<TagToken, 'contentRange'>;

/** A value of the language with operators. */
interface Expression {
  readonly initial: Value['initial'];
}

/** Tags that read their values in order, and ignore what follows. */
const CHECKED_TO_THE_END: ReadonlySet<string> = new Set(
  'assign capture case decrement echo for if increment tablerow unless'.split(' '),
);
const LOOP_PARAMETERS: ReadonlySet<string> = new Set(['limit', 'offset', 'reversed', 'cols']);
/** What may follow a value of `when`. */
const AFTER_VALUE = /^(?:,|or\b|-?%\}|$)/;
const END_OF_TAG = /-?%\}|\n/;

/**
 * The first part that the language would ignore: the second of two values in a row, such as in `{{ First Name }}` or
 * `{% for one in First Names %}`, or a filter where none is allowed.
 */
export function findIgnoredPart(templates: readonly Template[]): IgnoredPart | undefined {
  for (const template of withChildren(templates)) {
    const { token } = template;
    for (const value of template.arguments?.() ?? []) if (isExpression(value) && hasSeveral(value)) return { token };
    const text = ignoredOf(template);
    if (text) return { token, text };
  }
  return undefined;
}

/** A candidate of `cycle` is one without its filters. */
function isExpression(value: unknown): value is Expression {
  return value instanceof Value || (value as Token | undefined)?.kind === TokenKind.FilteredValue;
}

/** An operator makes one value of two; `not` has one. */
function hasSeveral({ initial: { postfix } }: Expression): boolean {
  const operators = postfix.filter(({ kind }) => kind === TokenKind.Operator);
  const binary = operators.filter((token) => token.getText() !== 'not');
  return postfix.length - operators.length - binary.length > 1;
}

function ignoredOf(template: Template): string | undefined {
  if (template instanceof ForTag) return unknownIn(template.hash.hash) ?? restOf(template);
  if (template instanceof TablerowTag) return unknownIn(template.args.hash) ?? restOf(template);
  if (template instanceof CaseTag) return restOf(template) || restOfBranches(template);
  if (template instanceof Output) return restOfOutput(template.token as DelimitedToken);
  return restOf(template);
}

function unknownIn(parameters: object): string | undefined {
  return Object.keys(parameters).find((name) => !LOOP_PARAMETERS.has(name));
}

/** What the tag has not read. */
function restOf({ token }: Template): string {
  // Tags inside a `liquid` tag have a class of their own.
  const { name, tokenizer } = token as Partial<TagToken>;
  return name !== undefined && CHECKED_TO_THE_END.has(name) ? tokenizer!.remaining().trim() : '';
}

function restOfOutput({ input, file, contentRange }: DelimitedToken): string {
  const tokenizer = new Tokenizer(input, undefined, file, contentRange);
  tokenizer.readFilteredValue();
  return tokenizer.remaining().trim();
}

function restOfBranches({ branches, token }: CaseTag): string | undefined {
  // In a `liquid` tag, each line is a tag.
  const isLine = !(token instanceof TagToken);
  for (const { input, end } of branches.flatMap(({ values }) => values)) {
    const blanksAndRest = input.slice(end);
    const rest = blanksAndRest.trimStart();
    const blanks = blanksAndRest.slice(0, blanksAndRest.length - rest.length);
    const isEnd = isLine && blanks.includes('\n');
    if (!isEnd && !AFTER_VALUE.test(rest)) return rest.split(END_OF_TAG, 1)[0]!.trim();
  }
  return undefined;
}
