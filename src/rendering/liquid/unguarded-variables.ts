import { analyzeSync, TokenKind, toValueSync, Value, type TagToken, type Template, type Variable } from 'liquidjs';

/** Tags whose arguments, with those of their branches, are conditions. */
const CONDITIONS: ReadonlySet<string> = new Set(['if', 'unless', 'case']);

/**
 * The names of variables that leave a gap in the result when they are unknown: the template uses them without a default
 * value, and no condition tests them. A condition counts for the whole template, because it may guard any part of it.
 */
export function unguardedVariables(templates: readonly Template[]): string[] {
  const all = [...withChildren(templates)];
  const { globals, variables } = analyzeSync([...templates]);
  const tested = new Set(all.filter(isCondition).flatMap((template) => [...variablesInArgumentsOf(template).keys()]));
  const optional = new Set(all.flatMap((template) => [...placesWithDefault(template)]));
  const isGuarded = (name: string, uses: readonly Variable[]): boolean =>
    tested.has(name) || uses.every((use) => optional.has(placeOfUse(use)));
  const usesByName = new Map(Object.entries(variables));
  // What `assign` reads can be guarded where its result is used. The last first, because it may read results of others.
  for (const template of all.reverse()) {
    const name = assignedName(template);
    if (name === undefined || !isGuarded(name, usesByName.get(name) ?? [])) continue;
    for (const use of [...variablesInArgumentsOf(template).values()].flat()) optional.add(placeOfUse(use));
  }
  return Object.entries(globals)
    .filter(([name, uses]) => !isGuarded(name, uses))
    .map(([name]) => name);
}

function* withChildren(templates: readonly Template[]): Generator<Template> {
  for (const template of templates) {
    yield template;
    if (template.children) yield* withChildren(toValueSync(template.children(false, true)));
  }
}

/** A loop with an `else` says what to show instead. */
function isCondition(template: Template): boolean {
  const name = tagNameOf(template);
  if (name === 'for') return ((template as { elseTemplates?: readonly Template[] }).elseTemplates ?? []).length > 0;
  return name !== undefined && CONDITIONS.has(name);
}

function assignedName(template: Template): string | undefined {
  if (tagNameOf(template) !== 'assign') return undefined;
  const [name] = template.localScope?.() ?? [];
  return typeof name === 'string' ? name : name?.content;
}

function tagNameOf({ token }: Template): string | undefined {
  return (token as Partial<TagToken>).name;
}

/** Their uses by name, without those of its content. */
function variablesInArgumentsOf(template: Template): Map<string, readonly Variable[]> {
  const alone: Template = {
    token: template.token,
    render: () => undefined,
    arguments: () => template.arguments?.() ?? [],
  };
  return new Map(Object.entries(analyzeSync([alone]).globals));
}

/** Where a variable has a default value. That of the default value itself has none. */
function* placesWithDefault(template: Template): Generator<string> {
  for (const value of template.arguments?.() ?? []) {
    if (!(value instanceof Value) || !value.filters.some(({ name }) => name === 'default')) continue;
    for (const token of value.initial.postfix)
      if (token.kind === TokenKind.PropertyAccess) yield placeOf(token.getPosition());
  }
}

function placeOfUse({ location: { row, col } }: Variable): string {
  return placeOf([row, col]);
}

function placeOf(position: readonly number[]): string {
  return position.join(':');
}
