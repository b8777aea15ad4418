import { describeRoute } from '../platform/openapi/describe-route.js';
import { path, query } from '../platform/openapi/parameters.js';
import { enumOf, object, optional, string } from '../platform/openapi/schemas.js';
import { strictVariables, templateId, templateRendering, templateVariables } from './template-docs.js';
import type { RenderDraftRequest } from './template-requests.js';

const tag = 'Templates';

const draft = object<RenderDraftRequest>(
  'TemplateDraft',
  'A template that is not saved, and values for its variables',
  {
    subject: string('Subject line, in Liquid', 'The sale has begun, {{ name }}'),
    htmlContent: string(
      'HTML, or MJML whose root element is <mjml>, in Liquid; at most 5 MB',
      '<p>Hello {{ name }}</p>',
      {
        minLength: 1,
      },
    ),
    textContent: optional(
      string('Text part, in Liquid; without it, we derive one from the HTML', 'Hello {{ name }}', { minLength: 1 }),
    ),
    variables: optional(templateVariables),
    strict: optional(strictVariables),
  },
);

/** One decorator per route of the controller. */
export const templatePreviewDocs = {
  renderDraft: describeRoute({
    operationId: 'renderTemplateDraft',
    summary: 'Render a template that is not saved',
    description: 'Without tracking. A template that does not parse is 400; the error has the line and the column.',
    tag,
    body: draft,
    responses: { 200: { description: 'The message', schema: templateRendering } },
  }),
  preview: describeRoute({
    operationId: 'previewTemplate',
    summary: 'Show the HTML of a template',
    description:
      'The HTML of the newest version, to show in a frame: its links lead nowhere, and nothing in it can run. To preview a draft, render it.',
    tag,
    parameters: [
      path('id', templateId),
      query('variables', string('Values of the variables: a JSON object', '{"name":"Ada"}')),
      query('images', enumOf(['true', 'false'], 'Whether remote images load', 'false')),
    ],
    responses: { 200: { description: 'The HTML', mediaType: 'text/html', schema: string('HTML', '<p>Hello Ada</p>') } },
    errors: { 400: true, 404: 'Template not found' },
  }),
};
