import { analyzeSync, TokenKind, Value, type TagToken, type Template, type Variable } from 'liquidjs';
import { withChildren } from './all-templates.js';

/** Tags whose arguments, with those of their branches, are conditions. */
const CONDITIONS: ReadonlySet<string> = new Set(['if', 'unless', 'case']);

/** Names from a variable to a part of its value, such as `person`, `first_name`. */
export type VariablePath = readonly string[];

/** Properties that the language adds to lists and texts. An object may have them, too. */
const ADDED_PROPERTIES: ReadonlySet<unknown> = new Set(['size', 'length', 'first', 'last']);

/** More levels than variables usually have. Postgres reads each part of a path again for each recipient. */
const MAX_PARTS = 20;

/**
 * The variables that leave a gap in the result when they are unknown: the template uses them without a default value,
 * and no condition tests them. A condition counts for the whole template, because it may guard any part of it.
 */
export function unguardedVariables(templates: readonly Template[]): VariablePath[] {
  const all = [...withChildren(templates)];
  const { globals, variables } = analyzeSync([...templates]);
  const tested = new Set(all.filter(isCondition).flatMap((template) => [...variablesInArgumentsOf(template).keys()]));
  const optional = new Set(all.flatMap((template) => [...placesWithDefault(template)]));
  const isGuarded = (name: string, uses: readonly Variable[]): boolean =>
    tested.has(name) || uses.every((use) => optional.has(placeOfUse(use)));
  for (const place of placesOfGuardedResults(all, new Map(Object.entries(variables)), isGuarded)) optional.add(place);
  return Object.entries(globals)
    .filter(([name]) => !tested.has(name))
    .flatMap(([, uses]) => uses.filter((use) => !optional.has(placeOfUse(use))).map(pathOf));
}

/** As far as it is known without the values: it ends before a name that is the value of a variable. */
function pathOf({ segments }: Variable): VariablePath {
  const parts = segments.slice(0, MAX_PARTS);
  const end = parts.findIndex(
    (segment, at) => at > 0 && (typeof segment === 'object' || ADDED_PROPERTIES.has(segment)),
  );
  return parts.slice(0, end === -1 ? undefined : end).map(String);
}

/**
 * Where `assign` reads variables whose gap is guarded where the result is used. The last ones first, because they may
 * read results of others, which then count as guarded there.
 */
function* placesOfGuardedResults(
  all: readonly Template[],
  uses: ReadonlyMap<string, readonly Variable[]>,
  isGuarded: (name: string, uses: readonly Variable[]) => boolean,
): Generator<string> {
  const assignments = all.flatMap((template) => assignmentOf(template) ?? []);
  // `assign a = a | strip`: the other uses tell whether a gap shows.
  const own = new Set(assignments.flatMap(({ name, reads }) => reads.get(name) ?? []).map(placeOfUse));
  const guarded = new Map<string, boolean>();
  for (const { name, reads } of assignments.reverse()) {
    if (!guarded.has(name)) {
      const others = (uses.get(name) ?? []).filter((use) => !own.has(placeOfUse(use)));
      guarded.set(name, isGuarded(name, others));
    }
    if (guarded.get(name)) for (const use of [...reads.values()].flat()) yield placeOfUse(use);
  }
}

/** A loop with an `else` says what to show instead. */
function isCondition(template: Template): boolean {
  const name = tagNameOf(template);
  if (name === 'for') return ((template as { elseTemplates?: readonly Template[] }).elseTemplates ?? []).length > 0;
  return name !== undefined && CONDITIONS.has(name);
}

interface Assignment {
  /** What it sets. */
  readonly name: string;
  readonly reads: ReadonlyMap<string, readonly Variable[]>;
}

function assignmentOf(template: Template): Assignment | undefined {
  if (tagNameOf(template) !== 'assign') return undefined;
  const [identifier] = template.localScope?.() ?? [];
  return identifier && { name: identifier.content, reads: variablesInArgumentsOf(template) };
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
