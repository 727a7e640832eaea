from cards.lines import escape, fold, join_parts


def write_card(contact):
    lines = ["BEGIN:VCARD", "N:" + join_parts((contact.family, contact.given), ";")]
    if contact.address:
        lines.append("ADR:" + join_parts(contact.address, ";"))
    lines += ["EMAIL:" + escape(email) for email in contact.emails]
    if contact.categories:
        lines.append("CATEGORIES:" + join_parts(contact.categories, ","))
    if contact.note:
        lines.append("NOTE:" + escape(contact.note))
    return [*lines, "END:VCARD"]


def write_cards(contacts):
    lines = [part for contact in contacts for line in write_card(contact) for part in fold(line)]
    return "".join(line + "\r\n" for line in lines)
