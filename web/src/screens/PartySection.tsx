/** Friends, and a party to queue with: people only appear here once one has played with them. */
import { type Friend, FriendService, FriendState, type RecentPlayer } from "@gouji/client/v1/friends";
import { PartyService, type PlayerPresence, type WatchPartyResponse } from "@gouji/client/v1/party";
import { useEffect, useState } from "react";
import { useTexts } from "../i18n";
import { player, session } from "../net/session";
import { failureText } from "./Lobby";

export function PartySection() {
  const texts = useTexts();
  const [party, setParty] = useState<WatchPartyResponse | null>(null);
  const [friends, setFriends] = useState<Friend[]>([]);
  const [recent, setRecent] = useState<RecentPlayer[]>([]);
  const [failure, setFailure] = useState("");
  const me = player.get()?.playerId ?? "";

  const look = async () => {
    const service = session.client(FriendService);
    const [mine, met] = await Promise.all([
      session.call((options) => service.listFriends({}, options)),
      session.call((options) => service.listRecentPlayers({}, options)),
    ]);
    setFriends(mine.friends);
    setRecent(met.players);
  };
  const attempt = (wanted: Promise<unknown>) => {
    setFailure("");
    wanted.then(look).catch((thrown) => setFailure(failureText(thrown, texts)));
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: followed for as long as this shows
  useEffect(() => {
    const closing = new AbortController();
    const follow = async () => {
      await look();
      const open = (options: object) => session.client(PartyService).watchParty({}, options);
      for await (const state of session.follow(open, { signal: closing.signal })) setParty(state);
    };
    follow().catch(() => undefined);
    return () => closing.abort();
  }, []);

  const parties = session.client(PartyService);
  const befriend = session.client(FriendService);
  const leads = party?.party?.leader === me;
  const known = new Set(friends.map((friend) => friend.playerId));
  const strangers = recent.filter((met) => !known.has(met.playerId));
  return (
    <section className="card-panel">
      <h2>{texts.party.title}</h2>
      {party?.invitations.map((invitation) => (
        <div key={invitation.partyId} className="invitation" role="alert">
          {texts.party.invited(invitation.name)}
          {[true, false].map((accept) => (
            <button
              type="button"
              key={String(accept)}
              className={`button ${accept ? "button-main" : "button-quiet"}`}
              onClick={() =>
                attempt(
                  session.call((options) => parties.answerInvitation({ partyId: invitation.partyId, accept }, options)),
                )
              }
            >
              {accept ? texts.party.accept : texts.party.decline}
            </button>
          ))}
        </div>
      ))}
      {party?.party && (
        <div className="party">
          <ul className="people">
            {party.party.members.map((member) => (
              <li key={member.playerId}>
                <strong>{member.name}</strong>
                <small>
                  {member.playerId === party.party?.leader
                    ? texts.party.leader
                    : member.ready
                      ? texts.party.ready
                      : texts.party.notReady}
                </small>
              </li>
            ))}
          </ul>
          <div className="row">
            {!leads && (
              <button
                type="button"
                className="button button-main"
                onClick={() =>
                  attempt(session.call((options) => parties.setReady({ ready: !isReady(party, me) }, options)))
                }
              >
                {isReady(party, me) ? texts.party.notReady : texts.party.ready}
              </button>
            )}
            <button
              type="button"
              className="button button-quiet"
              onClick={() => attempt(session.call((options) => parties.leaveParty({}, options)))}
            >
              {texts.party.leave}
            </button>
          </div>
        </div>
      )}
      {!friends.length && !strangers.length && <p className="quiet">{texts.party.noFriends}</p>}
      <ul className="people">
        {friends.map((friend) => (
          <li key={friend.playerId}>
            <strong>{friend.name}</strong>
            <small>{friend.state === FriendState.FRIENDS ? presence(friend.presence, texts) : texts.party.asked}</small>
            {friend.state === FriendState.ASKS && (
              <button
                type="button"
                className="link"
                onClick={() =>
                  attempt(session.call((options) => befriend.addFriend({ playerId: friend.playerId }, options)))
                }
              >
                {texts.party.accept}
              </button>
            )}
            {friend.state === FriendState.FRIENDS && (
              <button
                type="button"
                className="link"
                onClick={() =>
                  attempt(session.call((options) => parties.invitePlayer({ playerId: friend.playerId }, options)))
                }
              >
                {texts.party.invite}
              </button>
            )}
          </li>
        ))}
      </ul>
      {strangers.length > 0 && <h3>{texts.party.recent}</h3>}
      <ul className="people">
        {strangers.map((met) => (
          <li key={met.playerId}>
            <strong>{met.name}</strong>
            <button
              type="button"
              className="link"
              onClick={() =>
                attempt(session.call((options) => befriend.addFriend({ playerId: met.playerId }, options)))
              }
            >
              {texts.party.add}
            </button>
          </li>
        ))}
      </ul>
      {failure && (
        <p className="warning" role="alert">
          {failure}
        </p>
      )}
    </section>
  );
}

function isReady(state: WatchPartyResponse, me: string): boolean {
  return state.party?.members.find((member) => member.playerId === me)?.ready ?? false;
}

function presence(there: PlayerPresence | undefined, texts: ReturnType<typeof useTexts>): string {
  if (there?.playing) return texts.party.playing;
  return there?.online ? texts.party.online : texts.party.offline;
}
