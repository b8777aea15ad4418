import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('signing_keys')
@Check('signing_keys_id_range', 'id between 0 and 255')
export class StoredSigningKey {
  /** One byte, contained in every tracking ID. */
  @PrimaryColumn({ type: 'smallint' })
  id!: number;

  @Column({ type: 'bytea' })
  secret!: Buffer;

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3, default: () => 'now()' })
  createdAt!: Date;
}
