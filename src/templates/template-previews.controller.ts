import { Body, Controller, Get, HttpCode, Param, Post, Query, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { HUGE_NUMBERS, isWritableJson, MAX_LEVELS } from '../emails/accept/json-size.js';
import { previewHeaders, readImages } from '../emails/read/preview-headers.js';
import type { Caller } from '../organizations/api-key-authenticator.js';
import { KeyGuard } from '../organizations/api-key.guard.js';
import { CurrentCaller } from '../organizations/current-caller.js';
import { NeedsScope } from '../organizations/key-scopes.js';
import { InvalidFieldError } from '../platform/errors/domain-error.js';
import { TakesEmail } from '../platform/http/body-limits.js';
import { isJsonObject, type JsonObject } from '../platform/http/json-object.js';
import { isWellFormed } from '../platform/http/storable-text.js';
import { MessageRendering } from './message-rendering.js';
import { templatePreviewDocs } from './template-preview-docs.js';
import { RenderDraftRequest } from './template-requests.js';
import type { TemplateRendering } from './template-view.js';
import { Templates } from './templates.js';

@Controller('api/templates')
@UseGuards(KeyGuard)
export class TemplatePreviewsController {
  constructor(
    private readonly templates: Templates,
    private readonly messages: MessageRendering,
  ) {}

  /** Renders a template that is not saved. */
  @Post('render')
  @HttpCode(200)
  @TakesEmail()
  @NeedsScope('read')
  @templatePreviewDocs.renderDraft
  renderDraft(@CurrentCaller() caller: Caller, @Body() body: RenderDraftRequest): Promise<TemplateRendering> {
    const { variables = {}, strict = false, ...draft } = body;
    return this.messages.previewDraft(caller, draft, variables, strict);
  }

  /** HTML to show in a frame: it runs nothing, counts nothing, and its links lead nowhere. */
  @Get(':id/preview')
  @templatePreviewDocs.preview
  async preview(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Query('variables') variables: unknown,
    @Query('images') images: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const headers = previewHeaders(readImages(images));
    const { html } = await this.templates.render(caller, id, readVariables(variables), false);
    const shown = await this.messages.deadenLinks(caller, html);
    void reply.type('text/html; charset=utf-8').headers(headers);
    return shown;
  }
}

/** @throws InvalidFieldError */
function readVariables(text: unknown = '{}'): JsonObject {
  const value = typeof text === 'string' && isWellFormed(text) ? parse(text) : undefined;
  if (isJsonObject(value) && isWritableJson(value)) return value;
  throw new InvalidFieldError(
    'variables',
    `must be a JSON object of at most ${MAX_LEVELS} levels, without ${HUGE_NUMBERS}`,
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
