import { useQuery } from '@tanstack/preact-query';
import { client } from '../api';
import { shownName } from '../shown-name';
import type { Template } from '../types';

/** An organization has no more templates than this; a page ends earlier if the names of their variables are long. */
const ALL = 1_000;

/** All templates, to choose from. */
export function useTemplateChoice() {
  return useQuery({
    queryKey: ['templates', 'choice'],
    queryFn: async ({ signal }) => {
      const templates: Template[] = [];
      for await (const template of client.templates.list({ limit: ALL }, { signal })) templates.push(template);
      return templates;
    },
  });
}

interface TemplateChoiceProps {
  readonly label: string;
  /** Text for no template. */
  readonly none: string;
  readonly chosen: string;
  choose(id: string): void;
}

export function TemplateChoice({ label, none, chosen, choose }: TemplateChoiceProps) {
  const { data } = useTemplateChoice();
  return (
    <label>
      {label}
      <select value={chosen} onChange={({ currentTarget }) => choose(currentTarget.value)}>
        <option value="">{none}</option>
        {data?.map(({ id, name, version }) => (
          <option key={id} value={id}>
            {shownName(name)} (version {version})
          </option>
        ))}
      </select>
    </label>
  );
}
