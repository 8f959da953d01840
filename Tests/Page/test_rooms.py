"""The page and the server agree on what is in a room."""


def test_what_one_draws_the_other_and_the_server_hold(room):
    """A shape that Ann makes is on Bob's page and on the server, and all three have one digest."""
    ann = room.join("Ann")
    bob = room.join("Bob")
    ann.run("app.edit((session) => session.add({ kind: 'star', position: [100, 80], fill: '#E4572E' })); return null")
    bob.wait_for_shapes(1)
    (shape,) = room.agree()
    assert shape["kind"] == "star" and shape["position"] == [100, 80] and shape["fill"] == "#E4572E"
    assert bob.shape(shape["id"])["x"] == 100


def test_a_program_writes_and_a_phone_sees_it(room):
    """A shape written over HTTP is on the page at once."""
    phone = room.join("Eve", phone=True)
    identifier = room.add(kind="ellipse", position=[20, 30], size=[100, 100])
    assert phone.wait_for_shape(identifier)["kind"] == "ellipse"
    room.agree()
