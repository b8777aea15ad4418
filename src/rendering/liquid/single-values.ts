import { TokenKind, Value, type Template } from 'liquidjs';
import { withChildren } from './all-templates.js';

/**
 * The first output or tag with two values in a row, such as `{{ First Name }}`, of which the language would ignore the
 * second one.
 */
export function withValuesInARow(templates: readonly Template[]): Template | undefined {
  for (const template of withChildren(templates)) {
    for (const value of template.arguments?.() ?? []) if (value instanceof Value && hasSeveral(value)) return template;
  }
  return undefined;
}

/** An operator makes one value of two; `not` has one. */
function hasSeveral({ initial: { postfix } }: Value): boolean {
  const operators = postfix.filter(({ kind }) => kind === TokenKind.Operator);
  const binary = operators.filter((token) => token.getText() !== 'not');
  return postfix.length - operators.length - binary.length > 1;
}
