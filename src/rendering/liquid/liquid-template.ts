import {
  analyzeSync,
  Context,
  LiquidError,
  Parser,
  TokenKind,
  toValueSync,
  type Liquid,
  type Template,
  type TopLevelToken,
} from 'liquidjs';
import { RenderingLimitError, RenderingTimeError, TOO_DEEP_OR_LONG } from '../rendering-limit-error.js';
import { BoundedEmitter, isTooLong, storableText, withinLimit } from './bounded-emitter.js';
import { htmlLanguage, setNow, textLanguage, TIME_LIMIT_MS } from './liquid-language.js';
import { PlacedParser, readTokens } from './placed-parser.js';
import { findIgnoredPart, type IgnoredPart } from './single-values.js';
import { unguardedVariables, type VariablePath } from './unguarded-variables.js';
import { TemplateError, UnknownVariableError, type TemplateField } from './template-errors.js';

/** Values by name: JSON. */
export type Variables = Readonly<Record<string, unknown>>;

export interface RenderingOptions {
  /** True to refuse unknown variables. Otherwise they are empty. */
  readonly strict?: boolean;
  /** The time that "now" means. */
  readonly now: Date;
}

/** A parsed template of a subject, of text or of HTML. */
export class LiquidTemplate {
  private constructor(
    private readonly field: TemplateField,
    private readonly language: Liquid,
    private readonly templates: Template[],
    /** Characters of its tags and outputs: parsed, they take far more memory than the text around them. */
    readonly markupLength: number,
  ) {}

  /** @throws TemplateError, RenderingLimitError */
  static parse(field: TemplateField, source: string): LiquidTemplate {
    const language = field === 'html' ? htmlLanguage : textLanguage;
    try {
      if (isTooLong([source])) throw new RenderingLimitError('is longer than 5 MB');
      const tokens = readTokens(source, language);
      const parser = field === 'html' ? new PlacedParser(language, tokens) : new Parser(language);
      const templates = parser.parseTokens([...tokens]);
      return new LiquidTemplate(field, language, templates, markupLengthOf(tokens));
    } catch (error) {
      throw problemOf(field, error);
    }
  }

  /**
   * Refuses what the language would ignore, such as the second of two values in a row. Not part of `parse`, because
   * stored messages may be older than this rule.
   * @throws TemplateError
   */
  requireSingleValues(): void {
    const ignored = findIgnoredPart(this.templates);
    if (!ignored) return;
    const [line, column] = ignored.token.getPosition();
    throw new TemplateError(this.field, problemOfIgnored(ignored), line!, column!);
  }

  /**
   * The names of the variables that it reads, except those that it sets itself, and those that no request can set
   * because they cannot be stored.
   */
  get variables(): string[] {
    return Object.keys(analyzeSync(this.templates).globals).filter(isStorable);
  }

  /** Those of them that leave a gap in the result when they are unknown. */
  get unguardedVariables(): VariablePath[] {
    return unguardedVariables(this.templates).filter((path) => path.every(isStorable));
  }

  /**
   * The result depends only on the arguments.
   * @throws TemplateError, UnknownVariableError in strict mode, RenderingLimitError
   */
  render(variables: Variables, { strict = false, now }: RenderingOptions): string {
    const { language } = this;
    const scope = Object.assign(Object.create(null) as object, variables);
    const context = new Context(scope, language.options, { sync: true, strictVariables: strict }, { liquid: language });
    setNow(context, now);
    const emitter = new BoundedEmitter();
    try {
      toValueSync(language.renderer.renderTemplates(this.templates, context, emitter));
    } catch (error) {
      throw problemOf(this.field, error);
    }
    return withinLimit(storableText(emitter.buffer));
  }
}

function isStorable(name: string): boolean {
  return storableText(name) === name;
}

function markupLengthOf(tokens: readonly TopLevelToken[]): number {
  return tokens.reduce((sum, { kind, begin, end }) => (kind === TokenKind.HTML ? sum : sum + end - begin), 0);
}

function problemOfIgnored({ text }: IgnoredPart): string {
  if (text === undefined) {
    return 'two values in a row, of which the second would be ignored; write a name with blanks as {{ ["a b"] }}';
  }
  const problem = `"${shortened(text)}" would be ignored`;
  if (text.startsWith('|')) return `${problem}: no filter may stand here; {% assign %} can use it`;
  return /^[\w\u0080-\uffff]/.test(text) ? `${problem}; write a name with blanks as ["a b"]` : problem;
}

/** Characters of an error that may be of the template. */
const MAX_QUOTED = 200;
/** RangeErrors of the engine that mean a limit. Others name a value that a filter refuses, such as a time zone. */
const ENGINE_LIMIT = /^Maximum call stack|^Invalid (?:string|array) length/;

/** Translates an error of the language. Its message may contain parts of the template, but never variables. */
function problemOf(field: TemplateField, error: unknown): unknown {
  if (error instanceof RangeError) return new RenderingLimitError(TOO_DEEP_OR_LONG);
  if (!LiquidError.is(error)) return error;
  const cause = error.originalError as (Error & { variableName?: string }) | undefined;
  if (cause?.name === 'InternalUndefinedVariableError')
    return new UnknownVariableError(field, shortened(cause.variableName!));
  if (cause instanceof RenderingLimitError) return cause;
  const isRange = cause instanceof RangeError;
  if (isRange && ENGINE_LIMIT.test(cause.message)) return problemOf(field, cause);
  const problem = isRange
    ? cause.message.split(':', 1)[0]!
    : (cause ?? error).message.replace(/, line:\d+, col:\d+$/, '');
  if (problem === 'template render limit exceeded') {
    return new RenderingTimeError(`takes longer than ${TIME_LIMIT_MS} ms to render`);
  }
  if (problem.endsWith('limit exceeded')) return new RenderingLimitError('takes too much memory to render');
  const [line, column] = error.token.getPosition();
  return new TemplateError(field, shortened(problem), line!, column!);
}

/** Without most of a long tag, which the language repeats as a whole. */
function shortened(text: string): string {
  return text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED).toWellFormed()}…` : text;
}
