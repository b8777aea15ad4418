import { Body, Controller, Delete, Get, HttpCode, Patch, Put, Req, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { KeyGuard } from '../../organizations/api-key.guard.js';
import type { Caller } from '../../organizations/api-key-authenticator.js';
import { CurrentCaller } from '../../organizations/current-caller.js';
import { OwnAccount } from '../../organizations/key-scopes.js';
import { OwnAccounts } from '../own-accounts.js';
import { ChangePasswordRequest, ChooseOrganizationRequest, readOrganizationId } from './session-requests.js';
import { sessionDocs } from './session-docs.js';
import { SessionResponses } from './session-responses.js';
import type { SessionView } from './session-view.js';

/** Routes for signed-in users and their own account. */
@Controller('api')
@UseGuards(KeyGuard)
export class SessionController {
  constructor(
    private readonly own: OwnAccounts,
    private readonly responses: SessionResponses,
  ) {}

  @Get('session')
  @OwnAccount()
  @sessionDocs.read
  read(@CurrentCaller() caller: Caller): Promise<SessionView> {
    return this.responses.view(caller);
  }

  @Patch('session')
  @OwnAccount()
  @sessionDocs.choose
  async choose(@CurrentCaller() caller: Caller, @Body() body: ChooseOrganizationRequest): Promise<SessionView> {
    const organizationId = readOrganizationId(body);
    await this.own.chooseOrganization(caller, organizationId);
    return this.responses.chosen(caller);
  }

  @Delete('session')
  @HttpCode(204)
  @OwnAccount()
  @sessionDocs.signOut
  async signOut(@CurrentCaller() caller: Caller, @Res({ passthrough: true }) reply: FastifyReply): Promise<void> {
    await this.own.signOut(caller);
    this.responses.clear(reply);
  }

  @Delete('sessions')
  @HttpCode(204)
  @OwnAccount()
  @sessionDocs.signOutEverywhere
  async signOutEverywhere(
    @CurrentCaller() caller: Caller,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    await this.own.signOutEverywhere(caller);
    this.responses.clear(reply);
  }

  /** Ends all sessions, and opens a new one for this browser. */
  @Put('session/password')
  @OwnAccount()
  @sessionDocs.changePassword
  async changePassword(
    @CurrentCaller() caller: Caller,
    @Body() body: ChangePasswordRequest,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SessionView> {
    const signedIn = await this.own.changePassword(caller, body.currentPassword, body.newPassword);
    return this.responses.opened(request, reply, signedIn);
  }
}
