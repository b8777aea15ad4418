import { toValueSync, type Template } from 'liquidjs';

/** Templates with those inside of their tags, in their order in the document. */
export function* withChildren(templates: readonly Template[]): Generator<Template> {
  const rest = [...templates].reverse();
  for (let template = rest.pop(); template; template = rest.pop()) {
    yield template;
    const inside = template.children ? [...toValueSync(template.children(false, true))] : [];
    // Not at once, because a call can have only so many arguments.
    for (const child of inside.reverse()) rest.push(child);
  }
}
