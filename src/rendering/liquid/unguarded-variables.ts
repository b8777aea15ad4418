import { analyzeSync, TokenKind, toValueSync, Value, type TagToken, type Template } from 'liquidjs';

/** Tags whose arguments, with those of their branches, are conditions. */
const CONDITIONS: ReadonlySet<string> = new Set(['if', 'unless', 'case']);

/**
 * The names of variables that leave a gap in the result when they are unknown: the template uses them without a default
 * value, and no condition tests them. A condition counts for the whole template, because it may guard any part of it.
 */
export function unguardedVariables(templates: readonly Template[]): string[] {
  const tested = new Set<string>();
  const optional = new Set<string>();
  for (const template of withChildren(templates)) {
    if (isCondition(template)) for (const name of namesInArgumentsOf(template)) tested.add(name);
    for (const place of placesWithDefault(template)) optional.add(place);
  }
  return Object.entries(analyzeSync([...templates]).globals)
    .filter(([name, uses]) => {
      const isShown = uses.some(({ location: { row, col } }) => !optional.has(placeOf([row, col])));
      return isShown && !tested.has(name);
    })
    .map(([name]) => name);
}

function* withChildren(templates: readonly Template[]): Generator<Template> {
  for (const template of templates) {
    yield template;
    if (template.children) yield* withChildren(toValueSync(template.children(false, true)));
  }
}

function isCondition({ token }: Template): boolean {
  return CONDITIONS.has((token as Partial<TagToken>).name ?? '');
}

/** Without those of its content. */
function namesInArgumentsOf(template: Template): string[] {
  const alone: Template = {
    token: template.token,
    render: () => undefined,
    arguments: () => template.arguments?.() ?? [],
  };
  return Object.keys(analyzeSync([alone]).globals);
}

/** Where a variable has a default value. That of the default value itself has none. */
function* placesWithDefault(template: Template): Generator<string> {
  for (const value of template.arguments?.() ?? []) {
    if (!(value instanceof Value) || !value.filters.some(({ name }) => name === 'default')) continue;
    for (const token of value.initial.postfix)
      if (token.kind === TokenKind.PropertyAccess) yield placeOf(token.getPosition());
  }
}

function placeOf(position: readonly number[]): string {
  return position.join(':');
}
