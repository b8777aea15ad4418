import mjmlToHtml from 'mjml';

export type MjmlOutcome =
  | { readonly kind: 'compiled'; readonly html: string }
  | { readonly kind: 'invalid'; readonly message: string }
  | { readonly kind: 'too deep' };

/** A validation error of the compiler. Its `formattedMessage` is not used, because it contains a path. */
interface ValidationProblem {
  readonly line?: number;
  readonly message: string;
}

/**
 * Compiles MJML without disk access: no includes, no configuration file. Treats every validation problem as an error.
 */
export async function compile(source: string): Promise<MjmlOutcome> {
  try {
    const { html } = await mjmlToHtml(source, {
      validationLevel: 'strict',
      ignoreIncludes: true,
      useMjmlConfigOptions: false,
      keepComments: true,
    });
    return { kind: 'compiled', html };
  } catch (error) {
    if (error instanceof RangeError) return { kind: 'too deep' };
    return { kind: 'invalid', message: messageOf(error) };
  }
}

function messageOf(error: unknown): string {
  const problems = (error as { errors?: readonly ValidationProblem[] }).errors;
  const first = problems?.[0];
  if (first === undefined) return error instanceof Error ? error.message : 'it cannot be compiled';
  return first.line === undefined ? first.message : `line ${first.line}: ${first.message}`;
}
