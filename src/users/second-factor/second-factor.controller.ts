import { Body, Controller, HttpCode, Post, UseGuards } from '@nestjs/common';
import { KeyGuard } from '../../organizations/api-key.guard.js';
import type { Caller } from '../../organizations/api-key-authenticator.js';
import { CurrentCaller } from '../../organizations/current-caller.js';
import { OwnAccount } from '../../organizations/key-scopes.js';
import { secondFactorDocs } from './second-factor-docs.js';
import { SecondFactors, type SecondFactorSecret } from './second-factors.js';
import { AddFactorRequest, ConfirmFactorRequest, RemoveFactorRequest } from '../sessions/session-requests.js';
import { SignInLimits } from '../sign-in/sign-in-limits.js';

/** The second factor of the signed-in user. Wrong passwords and codes are limited. */
@Controller('api/session/second-factor')
@UseGuards(KeyGuard)
export class SecondFactorController {
  constructor(
    private readonly factors: SecondFactors,
    private readonly limits: SignInLimits,
  ) {}

  @Post()
  @OwnAccount()
  @secondFactorDocs.begin
  begin(@CurrentCaller() caller: Caller, @Body() body: AddFactorRequest): Promise<SecondFactorSecret> {
    return this.limits.whileRight(caller.actor.id, () => this.factors.begin(caller, body.password));
  }

  @Post('confirm')
  @HttpCode(200)
  @OwnAccount()
  @secondFactorDocs.confirm
  async confirm(
    @CurrentCaller() caller: Caller,
    @Body() body: ConfirmFactorRequest,
  ): Promise<{ recoveryCodes: readonly string[] }> {
    return {
      recoveryCodes: await this.limits.whileRight(caller.actor.id, () => this.factors.confirm(caller, body.code)),
    };
  }

  @Post('remove')
  @HttpCode(204)
  @OwnAccount()
  @secondFactorDocs.remove
  async remove(@CurrentCaller() caller: Caller, @Body() body: RemoveFactorRequest): Promise<void> {
    await this.limits.whileRight(caller.actor.id, () => this.factors.remove(caller, body.password, body.code));
  }
}
