import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * The single row with the key of `person_hash`. A migration creates it; a new key would make all stored hashes useless.
 */
@Entity('person_hash_key')
@Check('person_hash_key_one_row', 'id = 1')
export class PersonHashKey {
  @PrimaryColumn({ type: 'smallint', default: 1 })
  id!: number;

  @Column({ type: 'bytea' })
  secret!: Buffer;
}
