/** A template, without its content. */
export interface TemplateView {
  readonly id: string;
  readonly name: string;
  /** 1 for a new template. Every change adds one. */
  readonly version: number;
  readonly variables: readonly string[];
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** A template with the content of one version. */
export interface TemplateDetail extends TemplateView {
  readonly subject: string;
  /** The original HTML or MJML. */
  readonly htmlContent: string;
  readonly textContent: string | null;
}

/** A template with its variables filled in: a message without tracking. */
export interface TemplateRendering {
  readonly subject: string;
  readonly html: string;
  readonly text: string;
}

export interface TemplateRow {
  id: string;
  name: string;
  version: number;
  variables: string[];
  created_at: Date;
  updated_at: Date;
}

export interface TemplateContentRow extends TemplateRow {
  version_id: string;
  subject: string;
  html_content: string;
  compiled_html: string | null;
  text_content: string | null;
}

export const TEMPLATE_COLUMNS = 't.id, t.name, v.version, v.variables, t.created_at, t.updated_at';
export const CONTENT_COLUMNS = `${TEMPLATE_COLUMNS}, v.id as version_id, v.subject, v.html_content, v.compiled_html, v.text_content`;

export function toTemplateView(row: TemplateRow): TemplateView {
  return {
    id: row.id,
    name: row.name,
    version: row.version,
    variables: row.variables,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}

export function toTemplateDetail(row: TemplateContentRow): TemplateDetail {
  const { subject, html_content: htmlContent, text_content: textContent } = row;
  return { ...toTemplateView(row), subject, htmlContent, textContent };
}
