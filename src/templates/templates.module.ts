import { Module } from '@nestjs/common';
import { EmailHtml } from '../emails/accept/html-content.js';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { MessageRendering } from './message-rendering.js';
import { TemplatePreviewsController } from './template-previews.controller.js';
import { TemplateVersionsController } from './template-versions.controller.js';
import { TemplateVersions } from './template-versions.js';
import { TemplatesController } from './templates.controller.js';
import { Templates } from './templates.js';

@Module({
  imports: [OrganizationsModule],
  controllers: [TemplatesController, TemplateVersionsController, TemplatePreviewsController],
  providers: [EmailHtml, MessageRendering, Templates, TemplateVersions],
  exports: [MessageRendering, Templates],
})
export class TemplatesModule {}
